#pragma once

#include <QObject>
#include <map>
#include <string>

#include "panels/jobs/study_news.h"

class QWidget;

namespace headroom {

class DesktopNotes;
class NoticeBar;
class RunCommands;
class Settings;
class StudySession;
class Workspace;

/// Says what happens in the open study: in the window's notice bar and, where nobody looks at the
/// window, on the desktop, as the settings have it. UI thread only.
class StudyNotices : public QObject {
    Q_OBJECT
  public:
    struct Places {
        QWidget& window;
        Workspace& workspace;
        NoticeBar& bar;
        const Settings& settings;
    };
    StudyNotices(StudySession& session, RunCommands& commands, const Places& places);

    void tell(const StudyNews& news);

  signals:
    void said(const QString& message);

  private:
    void take_news();
    void offer_undo(const QString& message);

    StudySession& session_;
    Places places_;
    DesktopNotes* desktop_;
    StudyNewsReader reader_;
    int queue_ended_ = 0;                      ///< that notice's number; 0: none
    std::multimap<std::string, int> of_runs_;  ///< numbers of notices by the run's id
    int removed_ = 0, removed_at_ = 0;         ///< the notice that offers to undo, and its step
};

}  // namespace headroom
