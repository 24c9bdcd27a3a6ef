#include "app/window/services/run_commands.h"

#include <QDesktopServices>
#include <QUrl>
#include <algorithm>

#include "app/window/services/job_queue.h"
#include "app/window/services/study_session.h"
#include "core/log/interop/read_foreign_log.h"
#include "core/study/trash.h"
#include "panels/study/merged_study.h"

namespace headroom {

RunCommands::RunCommands(StudySession& session, QObject* parent)
    : QObject(parent), session_(session) {}

bool RunCommands::is_own(const Run& run) const {
    return is_own_run(*session_.look().study, run);
}

void RunCommands::say_not_own() {
    emit said(tr("That run is of another study: open that one to change it"));
}

void RunCommands::start_queue() {
    if (!session_.look().is_open()) return;
    std::vector<RunPointer> own;
    for (const RunPointer& run : session_.look().study->runs)
        if (is_own(*run)) own.push_back(run);
    if (const std::string why = why_none_starts(own); !why.empty())
        emit said(QString::fromStdString(why));
    session_.watcher().run([folder = session_.look().study->folder, at_a_time = slots_] {
        start_scheduler(folder, at_a_time);
    });
}

void RunCommands::launch(const std::vector<LaunchRun>& runs, std::function<void(bool)> then) {
    if (!session_.look().is_open()) return then(false);
    std::vector<std::string> ids;
    for (const LaunchRun& run : runs) ids.push_back(run.id);
    session_.watcher().run([folder = session_.look().study->folder, runs,
                            at_a_time = slots_] { queue_runs(folder, runs, at_a_time); },
                           [this, ids, then = std::move(then)](bool done) {
                               if (done) {
                                   session_.select_when_there(ids);
                                   emit said(ids.size() == 1
                                                 ? tr("1 run queued")
                                                 : tr("%1 runs queued").arg(ids.size()));
                               }
                               then(done);
                           });
}

static QString label_text(const LabelChange& change) {
    if (change.name) return RunCommands::tr("rename");
    if (change.color) return RunCommands::tr("colour");
    return change.note ? RunCommands::tr("note") : RunCommands::tr("tags");
}

/// On the watcher's thread; what is said of the step waits for its end.
UndoHistory::Work RunCommands::move_of(std::function<void()> task) {
    return [this, task = std::move(task)] {
        session_.watcher().run(task, session_.history().ends_later());
    };
}

void RunCommands::label(const std::vector<std::string>& ids, const LabelChange& change) {
    if (!session_.look().is_open()) return;
    const StudyPointer study = session_.look().study;
    std::vector<std::string> own;
    for (const std::string& id : ids)
        if (const RunPointer run = study->find(id); run && is_own(*run)) own.push_back(id);
    if (own.empty()) return say_not_own();
    // As it is in the file: what is on the screen may be older than the edit before this one.
    const auto before = std::make_shared<std::map<std::string, RunLabel>>();
    const auto write = [=] { *before = label_runs(*study, own, change); };
    session_.history().add(label_text(change), move_of([=] { put_labels(study->folder, *before); }),
                           move_of(write));
    session_.watcher().run(write);
}

void RunCommands::import_log(const QString& source, const std::string& run,
                             const ImportChoice& choice) {
    if (!session_.look().is_open()) return;
    const auto report = std::make_shared<ImportReport>();
    session_.watcher().run(
        [folder = session_.look().study->folder, path = source.toStdString(), run, choice, report] {
            const std::string id = run_id_of_source(path, run);
            *report = headroom::import_log(read_foreign_log(path, {.run = run}), choice,
                                           imported_run_folder(folder, id));
        },
        [this, report](bool) {
            for (const std::string& note : report->notes) emit said(QString::fromStdString(note));
        });
}

void RunCommands::run(JobCommand command, const std::vector<std::string>& ids) {
    const StudyLook& look = session_.look();
    std::vector<RunPointer> runs;
    for (const std::string& id : ids)
        if (RunPointer run = look.run(id)) runs.push_back(std::move(run));
    if (runs.empty()) return;
    const bool only_looks = command == JobCommand::kShowLog || command == JobCommand::kNewLike ||
                            command == JobCommand::kOpenFolder;
    if (!only_looks) std::erase_if(runs, [&](const auto& run) { return !is_own(*run); });
    if (runs.empty()) return say_not_own();
    if (command == JobCommand::kRemove) return remove(ids);
    if (command == JobCommand::kShowLog) return emit log_asked();
    if (command == JobCommand::kNewLike) {
        if (!runs.front()->job) return emit said(tr("The job of this run cannot be read"));
        emit new_runs_asked();
        return emit like_asked(runs.front());
    }
    if (command == JobCommand::kOpenFolder) {
        QDesktopServices::openUrl(
            QUrl::fromLocalFile(QString::fromStdString(runs.front()->folder.string())));
        return;
    }
    session_.watcher().run([command, runs, folder = look.study->folder, at_a_time = slots_] {
        for (const RunPointer& run : runs) {
            if (command == JobCommand::kPause) pause_run(*run);
            if (command == JobCommand::kResume) resume_run(*run);
            if (command == JobCommand::kStop) stop_run(*run);
        }
        // A paused run has its worker; whatever else goes on waits for one.
        const bool waits = std::any_of(runs.begin(), runs.end(), [](const RunPointer& run) {
            const RunPhase phase = effective_phase(*run);
            return phase != RunPhase::kPaused && actions_in(phase).resume;
        });
        if (command == JobCommand::kResume && waits) start_scheduler(folder, at_a_time);
    });
}

/// Into the study's own trash. Those that somebody works on stay.
void RunCommands::remove(const std::vector<std::string>& ids) {
    std::vector<std::string> removable;
    for (const std::string& id : ids) {
        const RunPointer run = session_.look().run(id);
        if (run && is_own(*run) && (run->planned || actions_in(effective_phase(*run)).remove))
            removable.push_back(id);
    }
    if (removable.empty())
        return emit said(tr("A run that is being trained is not removed: stop it first"));
    const RunPointer first = session_.look().run(removable.front());
    const QString what = removable.size() == 1 ? QString::fromStdString(first->name)
                                               : tr("%1 runs").arg(removable.size());
    const auto entry = std::make_shared<std::string>();
    session_.watcher().run([=, this, study = session_.look().study->folder] {
        *entry = trash_runs(study, removable);
        if (entry->empty()) return;  // somebody else removed them: the next look shows it
        QMetaObject::invokeMethod(this, [=, this] { note_removal(study, removable, what, entry); });
    });
}

void RunCommands::note(const QString& text, UndoHistory::Work undo, UndoHistory::Work redo) {
    session_.history().add(text, std::move(undo), std::move(redo));
}

/// `entry`, the name in the trash, is of the watcher's thread.
void RunCommands::note_removal(const std::filesystem::path& study,
                               const std::vector<std::string>& ids, const QString& what,
                               const std::shared_ptr<std::string>& entry) {
    // Another study may have been opened meanwhile: its history knows nothing of this.
    if (!session_.look().is_open() || session_.look().study->folder != study) return;
    session_.history().add(tr("remove %1").arg(what),
                           move_of([=] { restore_trash(study, *entry); }),
                           move_of([=] { *entry = trash_runs(study, ids); }));
    emit removed(tr("%1 removed, with logs and checkpoints, to the study's trash").arg(what));
}

void RunCommands::restore(const TrashEntry& removal) {
    const std::filesystem::path study = session_.look().study->folder;
    const auto entry = std::make_shared<std::string>(removal.name);
    const auto bring_back = [=] { restore_trash(study, *entry); };
    session_.history().add(tr("bring removed runs back"),
                           move_of([=, ids = removal.runs] { *entry = trash_runs(study, ids); }),
                           move_of(bring_back));
    session_.watcher().run(bring_back);
}

}  // namespace headroom
