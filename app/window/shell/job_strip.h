#pragma once

#include <QWidget>

#include "panels/base/theme.h"
#include "panels/jobs/job_table.h"

class QProgressBar;
class QToolButton;

namespace headroom {

class ElidedLabel;
class NoticeBar;

/// One line below every page: what is being trained, how far it is, what waits, and the newest
/// notice. It opens to the queue and the log.
class JobStrip : public QWidget {
    Q_OBJECT
  public:
    JobStrip();

    void set_table(const JobTable& table);
    void set_theme(const Theme& theme);
    void set_open(bool open);
    NoticeBar* notices() const { return notices_; }
    /// A word that stands before the state for some seconds.
    void say(const QString& message);

  signals:
    void open_asked();
    void start_asked();

  private:
    void show_text();

    ElidedLabel* text_;
    NoticeBar* notices_;
    QProgressBar* progress_;
    QToolButton* start_;
    QToolButton* open_;
    QString state_, message_;
};

}  // namespace headroom
