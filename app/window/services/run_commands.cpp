#include "app/window/services/run_commands.h"

#include <QDesktopServices>
#include <QFile>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QUrl>

#include "app/window/services/job_queue.h"
#include "app/window/services/study_session.h"
#include "core/base/error.h"
#include "core/log/interop/read_foreign_log.h"
#include "core/study/import_log.h"
#include "core/study/study_edit.h"

namespace headroom {

RunCommands::RunCommands(StudySession& session, QWidget* window)
    : QObject(window), session_(session), window_(window) {}

void RunCommands::start_queue() {
    if (session_.look().is_open())
        session_.watcher().run(
            [folder = session_.look().study->folder] { start_scheduler(folder); });
}

void RunCommands::launch(const std::vector<LaunchRun>& runs) {
    if (!session_.look().is_open()) return;
    session_.watcher().run(
        [folder = session_.look().study->folder, runs] { queue_runs(folder, runs); });
    emit said(runs.size() == 1 ? tr("1 run queued") : tr("%1 runs queued").arg(runs.size()));
}

void RunCommands::label(const std::vector<std::string>& ids, const LabelChange& change) {
    if (!session_.look().is_open()) return;
    session_.watcher().run(
        [study = session_.look().study, ids, change] { label_runs(*study, ids, change); });
}

void RunCommands::import_log(const QString& source, int64_t tokens_per_step) {
    if (!session_.look().is_open()) return;
    session_.watcher().run(
        [folder = session_.look().study->folder, path = source.toStdString(), tokens_per_step] {
            const std::string id = run_id_of_source(path);
            headroom::import_log(read_foreign_log(path),
                                 {.name = id, .tokens_per_step = tokens_per_step},
                                 imported_run_folder(folder, id));
        });
}

void RunCommands::run(JobCommand command, const std::vector<std::string>& ids) {
    const StudyLook& look = session_.look();
    std::vector<RunPointer> runs;
    for (const std::string& id : ids)
        if (RunPointer run = look.run(id)) runs.push_back(std::move(run));
    if (runs.empty()) return;
    if (command == JobCommand::kRemove) return remove(ids);
    if (command == JobCommand::kShowLog) return emit log_asked();
    if (command == JobCommand::kNewLike) {
        if (!runs.front()->job) return emit said(tr("The job of this run cannot be read"));
        return emit like_asked(runs.front());
    }
    if (command == JobCommand::kOpenFolder) {
        QDesktopServices::openUrl(
            QUrl::fromLocalFile(QString::fromStdString(runs.front()->folder.string())));
        return;
    }
    session_.watcher().run([command, runs, folder = look.study->folder] {
        for (const RunPointer& run : runs) {
            if (command == JobCommand::kPause) pause_run(*run);
            if (command == JobCommand::kResume) resume_run(*run);
            if (command == JobCommand::kStop) stop_run(*run);
            if (command == JobCommand::kRequeue) requeue_run(*run);
        }
        if (command == JobCommand::kRequeue) start_scheduler(folder);
    });
}

void RunCommands::remove(const std::vector<std::string>& ids) {
    QStringList folders;
    for (const std::string& id : ids) {
        const RunPointer run = session_.look().run(id);
        if (run && actions_in(effective_phase(*run)).remove)
            folders << QString::fromStdString(run->folder.string());
    }
    if (folders.isEmpty()) return;
    QMessageBox box(QMessageBox::Warning, tr("Remove runs"),
                    tr("Move these runs with their logs and checkpoints to the trash?"),
                    QMessageBox::Cancel, window_);
    box.setInformativeText(folders.mid(0, 8).join("\n"));
    QAbstractButton* yes = box.addButton(tr("Move to the trash"), QMessageBox::AcceptRole);
    box.setDefaultButton(QMessageBox::Cancel);
    box.setObjectName("removeRuns");
    box.exec();
    if (box.clickedButton() != yes) return;
    session_.watcher().run([folders, study = session_.look().study->folder] {
        std::vector<std::string> gone;
        for (const QString& folder : folders) {
            if (!QFile::moveToTrash(folder))
                throw EnvironmentError(folder.toStdString() + " could not be moved to the trash",
                                       "remove it in a file manager");
            gone.push_back(QFileInfo(folder).fileName().toStdString());
        }
        remove_runs(study, gone);  // else the queue would train them anew
    });
    emit said(tr("%n run(s) moved to the trash of the desktop", nullptr,
                 static_cast<int>(folders.size())));
}

}  // namespace headroom
