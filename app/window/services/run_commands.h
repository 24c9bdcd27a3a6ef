#pragma once

#include <QObject>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/window/services/undo_history.h"
#include "core/study/import_log.h"
#include "panels/jobs/job_panel.h"
#include "panels/launch/launch_form.h"
#include "panels/study/label_runs.h"

namespace headroom {

class StudySession;
struct TrashEntry;

/// Does what a person asks of the study's runs. Files are touched on the watcher's thread. UI
/// thread only.
class RunCommands : public QObject {
    Q_OBJECT
  public:
    RunCommands(StudySession& session, QObject* parent);

    void run(JobCommand command, const std::vector<std::string>& ids);
    void start_queue();
    /// Runs that a queue which is started from now on trains at a time, as Settings::run_slots.
    void set_slots(int count) { slots_ = count; }
    void say(const QString& message) { emit said(message); }
    /// Another study is opened in place of this one.
    void open_study(const QString& folder) { emit study_asked(folder); }
    /// Queues these runs; `then` is told whether that went well.
    void launch(const std::vector<LaunchRun>& runs, std::function<void(bool done)> then);
    /// A form for this model is to be filled in, with data and training of `trained`, or of the
    /// study where that is none.
    void ask_model(const ModelConfig& model, const RunPointer& trained) {
        emit new_runs_asked();
        emit model_asked(model, trained);
    }
    /// Makes a run of the study of what another tool logged in `source`.
    void import_log(const QString& source, const std::string& run, const ImportChoice& choice);
    /// Brings a removal back out of the study's trash.
    void restore(const TrashEntry& removal);
    /// Writes names, colours, tags and notes into the study's labels.
    void label(const std::vector<std::string>& ids, const LabelChange& change);
    /// What a page has done that can be taken back; `text` names it in the menu.
    void note(const QString& text, UndoHistory::Work undo, UndoHistory::Work redo);

  signals:
    /// A word for the status bar.
    void said(const QString& message);
    /// The form for new runs is to be seen; what is to stand in it may follow.
    void new_runs_asked();
    /// A form for runs like this one is to be filled in.
    void like_asked(const headroom::RunPointer& run);
    /// The same for a model that no run has.
    void model_asked(const headroom::ModelConfig& model, const headroom::RunPointer& trained);
    /// The log of the focused run is to be seen.
    void log_asked();
    /// Runs lie in the study's trash now; the history can bring them back.
    void removed(const QString& message);
    void study_asked(const QString& folder);

  private:
    bool is_own(const Run& run) const;
    void say_not_own();
    UndoHistory::Work move_of(std::function<void()> task);
    void remove(const std::vector<std::string>& ids);
    /// `what` names the runs.
    void note_removal(const std::filesystem::path& study, const std::vector<std::string>& ids,
                      const QString& what, const std::shared_ptr<std::string>& entry);

    StudySession& session_;
    int slots_ = 0;
};

}  // namespace headroom
