#pragma once

#include <QObject>
#include <QString>

class QSystemTrayIcon;

namespace headroom {

/// Messages of the desktop, for a window that nobody looks at; nothing happens where the desktop
/// has no place for them. UI thread only.
class DesktopNotes : public QObject {
    Q_OBJECT
  public:
    explicit DesktopNotes(QObject* parent = nullptr);
    /// Whether the desktop shows such messages at all.
    static bool is_possible();
    void say(const QString& title, const QString& text);

  signals:
    /// The person clicked one.
    void clicked();

  private:
    QSystemTrayIcon* icon_ = nullptr;
};

}  // namespace headroom
