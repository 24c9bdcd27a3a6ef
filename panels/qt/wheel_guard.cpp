#include "panels/qt/wheel_guard.h"

#include <QComboBox>
#include <QEvent>

namespace headroom {

void WheelGuard::protect(QComboBox* box) {
    box->setFocusPolicy(Qt::StrongFocus);  // the wheel alone gives no focus
    box->installEventFilter(new WheelGuard(box));
}

bool WheelGuard::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::Wheel || static_cast<QWidget*>(watched)->hasFocus()) return false;
    event->ignore();  // goes on to the parent, which scrolls
    return true;
}

}  // namespace headroom
