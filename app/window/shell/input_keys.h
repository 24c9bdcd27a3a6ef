#pragma once

#include <QObject>

namespace headroom {

/// Gives keys without Ctrl or Alt to the control that has the focus, where it has a use for them:
/// Space ticks a check box and digits search a list, whatever the window's own keys are. Escape
/// goes to a list or menu that is open. Install it on the application.
class InputKeys : public QObject {
  public:
    using QObject::QObject;

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace headroom
