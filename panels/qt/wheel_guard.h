#pragma once

#include <QObject>

class QComboBox;

namespace headroom {

/// Scrolling a form must not change what it says: the wheel reaches a combo box only while that has
/// the focus, and what is around it otherwise.
class WheelGuard : public QObject {
  public:
    /// The guard belongs to the box.
    static void protect(QComboBox* box);

    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    using QObject::QObject;
};

}  // namespace headroom
