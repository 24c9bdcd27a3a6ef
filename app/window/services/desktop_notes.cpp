#include "app/window/services/desktop_notes.h"

#include <QIcon>
#include <QSystemTrayIcon>

namespace headroom {

DesktopNotes::DesktopNotes(QObject* parent) : QObject(parent) {}

bool DesktopNotes::is_possible() {
    return QSystemTrayIcon::isSystemTrayAvailable() && QSystemTrayIcon::supportsMessages();
}

void DesktopNotes::say(const QString& title, const QString& text) {
    if (!is_possible()) return;
    if (!icon_) {
        icon_ = new QSystemTrayIcon(QIcon(":/headroom/icons/headroom.svg"), this);
        icon_->setToolTip(tr("Headroom Studio"));
        connect(icon_, &QSystemTrayIcon::messageClicked, this, &DesktopNotes::clicked);
        connect(icon_, &QSystemTrayIcon::activated, this, &DesktopNotes::clicked);
    }
    icon_->show();
    icon_->showMessage(title, text);
}

}  // namespace headroom
