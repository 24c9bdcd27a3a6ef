#include "app/window/shell/input_keys.h"

#include <QAbstractButton>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTabBar>
#include <QTextEdit>

namespace headroom {

static bool is_input(const QObject* object) {
    return qobject_cast<const QAbstractButton*>(object) ||
           qobject_cast<const QAbstractSlider*>(object) ||
           qobject_cast<const QAbstractSpinBox*>(object) ||
           qobject_cast<const QComboBox*>(object) || qobject_cast<const QLineEdit*>(object) ||
           qobject_cast<const QPlainTextEdit*>(object) || qobject_cast<const QTextEdit*>(object) ||
           qobject_cast<const QTabBar*>(object);
}

/// The text, and what presses a button or steps through a list.
static bool is_used(const QKeyEvent& key) {
    if (key.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) return false;
    const QString text = key.text();
    return key.key() == Qt::Key_Space || (!text.isEmpty() && text.front().isPrint());
}

/// Closes a list or menu that is open, and leaves nothing behind it.
static bool closes_popup(const QKeyEvent& key) {
    return key.key() == Qt::Key_Escape && QApplication::activePopupWidget() != nullptr;
}

bool InputKeys::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::ShortcutOverride) return QObject::eventFilter(watched, event);
    const auto& key = *static_cast<QKeyEvent*>(event);
    if (closes_popup(key) || (is_input(watched) && is_used(key))) {
        event->accept();
        return true;
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace headroom
