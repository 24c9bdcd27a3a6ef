#pragma once

#include <QObject>
#include <QStringList>
#include <memory>

#include "app/window/services/undo_history.h"
#include "app/window/study_watcher.h"
#include "panels/base/study_look.h"
#include "panels/jobs/job_table.h"
#include "panels/study/merged_study.h"

namespace headroom {

/// Ids of runs as settings hold them.
template <class Ids>
QStringList to_list(const Ids& ids) {
    QStringList list;
    for (const std::string& id : ids) list << QString::fromStdString(id);
    return list;
}

/// The open study and what of it is looked at; the one place that decides it. What was looked at
/// is kept for each study and is there again when it is next opened. UI thread only.
class StudySession : public QObject {
    Q_OBJECT
  public:
    explicit StudySession(QObject* parent = nullptr);

    void open(const std::filesystem::path& folder);
    void close();
    /// Shows the runs of another study beside those of the open one, now and whenever that is
    /// opened, until they are taken away again. Both can be taken back. A folder that is no study
    /// is told through failed().
    void add_study(const std::filesystem::path& folder);
    void remove_added(const std::filesystem::path& folder);
    std::vector<std::filesystem::path> added_studies() const;
    /// Where the desktop's settings keep what belongs to the open study. REQUIRES: one is open.
    QString group() const;
    const StudyLook& look() const { return look_; }
    const JobTable& table() const { return table_; }
    StudyWatcher& watcher() { return *watcher_; }
    /// Of the open study; forgotten with it.
    UndoHistory& history() { return *history_; }

    /// Ids that there are not are left out; without any the first run is selected.
    void select(const std::vector<std::string>& ids);
    /// As soon as all of them are there: those that have just been queued.
    void select_when_there(const std::vector<std::string>& ids);
    /// These two can be taken back.
    void hide(const std::set<std::string>& ids);
    void set_reference(const std::string& id);
    /// All of it at once, and not to be taken back by itself.
    void look_at(const std::set<std::string>& hidden, const std::string& reference,
                 const std::vector<std::string>& selected);

  signals:
    /// Another study, or none; look() is of it.
    void opened();
    /// The study's runs, or what of them is looked at.
    void changed();
    void failed(const QString& message);
    /// What failed() said is so no longer.
    void mended();

  private:
    /// Another study whose runs are shown, too.
    struct Added {
        std::filesystem::path folder;
        std::unique_ptr<StudyWatcher> watcher;
        StudyPointer study;  ///< null until it has been read
    };
    void take_study(const StudyPointer& study);
    void take_added(const std::filesystem::path& folder, const StudyPointer& study);
    void tell_problem(const StudyPointer& before, const StudyPointer& now);
    void merge();
    std::vector<std::filesystem::path> stored_added() const;
    void set_added(const std::vector<std::filesystem::path>& folders);
    void change_added(const std::vector<std::filesystem::path>& folders, const QString& text);
    void settle();
    QString text_of(const std::set<std::string>& before, const std::set<std::string>& after) const;
    void apply_hidden(const std::set<std::string>& ids);
    void apply_reference(const std::string& id);
    /// What a person chose, in the desktop's settings, by the study's folder.
    void keep() const;
    void keep_added(const std::vector<std::filesystem::path>& folders) const;
    void recall();

    StudyWatcher* watcher_;
    UndoHistory* history_;
    StudyPointer own_;  ///< without the added ones
    std::vector<Added> added_;
    StudyMerger merger_;
    StudyLook look_;
    std::vector<std::string> awaited_;  ///< to be selected
    std::string chosen_reference_;      ///< also while that run is not there
    JobTable table_;
};

}  // namespace headroom
