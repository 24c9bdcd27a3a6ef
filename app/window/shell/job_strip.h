#pragma once

#include <QWidget>

#include "panels/base/theme.h"
#include "panels/jobs/job_table.h"

class QLabel;
class QProgressBar;
class QToolButton;

namespace headroom {

/// One line below every page: what is being trained, how far it is, what waits. It opens to the
/// queue and the log.
class JobStrip : public QWidget {
    Q_OBJECT
  public:
    JobStrip();

    void set_table(const JobTable& table);
    void set_theme(const Theme& theme);
    void set_open(bool open);
    QLabel* text() const { return text_; }
    /// A word that stands before the state for some seconds.
    void say(const QString& message);

  signals:
    void open_asked();
    void start_asked();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void show_text();

    QLabel* text_;
    QProgressBar* progress_;
    QToolButton* start_;
    QToolButton* open_;
    QString state_, message_;
};

}  // namespace headroom
