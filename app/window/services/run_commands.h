#pragma once

#include <QObject>
#include <string>
#include <vector>

#include "panels/jobs/job_panel.h"
#include "panels/launch/launch_form.h"

namespace headroom {

class StudySession;

/// Does what a person asks of the study's runs. Files are touched on the watcher's thread. UI
/// thread only.
class RunCommands : public QObject {
    Q_OBJECT
  public:
    /// Questions are asked over `window`.
    RunCommands(StudySession& session, QWidget* window);

    void run(JobCommand command, const std::vector<std::string>& ids);
    void start_queue();
    void launch(const std::vector<LaunchRun>& runs);

  signals:
    /// A word for the status bar.
    void said(const QString& message);
    /// The log of the focused run is to be seen.
    void log_asked();

  private:
    void remove(const std::vector<std::string>& ids);

    StudySession& session_;
    QWidget* window_;
};

}  // namespace headroom
