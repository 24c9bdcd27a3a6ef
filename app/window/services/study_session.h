#pragma once

#include <QObject>

#include "app/window/study_watcher.h"
#include "panels/base/study_look.h"
#include "panels/jobs/job_table.h"

namespace headroom {

/// The open study and what of it is looked at; the one place that decides it. What was looked at
/// is kept for each study and is there again when it is next opened. UI thread only.
class StudySession : public QObject {
    Q_OBJECT
  public:
    explicit StudySession(QObject* parent = nullptr);

    void open(const std::filesystem::path& folder);
    void close();
    const StudyLook& look() const { return look_; }
    const JobTable& table() const { return table_; }
    StudyWatcher& watcher() { return *watcher_; }

    /// Ids that there are not are left out; without any the first run is selected.
    void select(const std::vector<std::string>& ids);
    void hide(const std::set<std::string>& ids);
    void set_reference(const std::string& id);

  signals:
    /// Another study, or none; look() is of it.
    void opened();
    /// The study's runs, or what of them is looked at.
    void changed();
    void failed(const QString& message);

  private:
    void take_study(const StudyPointer& study);
    void settle();
    /// What a person chose, in the desktop's settings, by the study's folder.
    void keep() const;
    void recall();

    StudyWatcher* watcher_;
    StudyLook look_;
    JobTable table_;
};

}  // namespace headroom
