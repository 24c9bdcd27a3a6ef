#pragma once

#include <QDialog>

class QAction;

namespace headroom {

/// All shortcuts of the window and the gestures of charts and canvases.
class KeysDialog : public QDialog {
  public:
    KeysDialog(const QList<QAction*>& actions, QWidget* parent);
};

}  // namespace headroom
