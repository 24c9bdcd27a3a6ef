#pragma once

#include <QWidget>

class QListWidget;
class QPushButton;

namespace headroom {

/// What the window shows while no study is open: what to do first, and the studies of last time.
class StartPage : public QWidget {
    Q_OBJECT
  public:
    explicit StartPage(QWidget* parent = nullptr);

    void set_recent(const QStringList& folders);
    QPushButton* demo_button() const { return demo_; }

  signals:
    void demo_asked();
    void open_asked();
    void new_asked();
    void gallery_asked();
    void recent_asked(const QString& folder);

  private:
    QPushButton* demo_;
    QWidget* recent_box_;
    QListWidget* recent_;
};

}  // namespace headroom
