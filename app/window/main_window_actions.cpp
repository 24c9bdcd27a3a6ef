#include <QDesktopServices>
#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QStatusBar>
#include <QTabWidget>
#include <QUrl>

#include "app/window/dialogs/command_palette.h"
#include "app/window/dialogs/keys_dialog.h"
#include "app/window/dialogs/launch_dialog.h"
#include "app/window/dialogs/page_dialog.h"
#include "app/window/main_window.h"
#include "app/window/services/demo_study.h"
#include "app/window/services/job_queue.h"
#include "core/base/error.h"
#include "panels/figure/figure_export.h"
#include "panels/inspector/inspector_panel.h"
#include "panels/loss/loss_widget.h"

namespace headroom {

void MainWindow::ask_for_study() {
    const QStringList recent = settings_.recent_studies();
    const QString start = recent.isEmpty() ? QDir::homePath() : QFileInfo(recent.front()).path();
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Open a study"), start);
    if (!folder.isEmpty()) open_study(folder);
}

void MainWindow::ask_for_new_study() {
    const QString folder = QFileDialog::getSaveFileName(
        this, tr("Folder of the new study"), QDir::homePath() + "/study", {}, nullptr,
        QFileDialog::ShowDirsOnly | QFileDialog::DontConfirmOverwrite);
    if (folder.isEmpty()) return;
    if (!QDir().mkpath(folder))
        return show_error(
            tr("%1 cannot be made; choose a folder that you may write to").arg(folder));
    open_study(folder);
    show_launch_dialog();
}

void MainWindow::open_demo() {
    try {
        open_study(QString::fromStdString(prepare_demo_study().string()));
    } catch (const std::exception& error) {
        show_error(QString::fromUtf8(error.what()));
    }
}

void MainWindow::show_launch_dialog() {
    if (!launch_->isVisible()) launch_->start();
    launch_->show();
    launch_->raise();
    launch_->activateWindow();
}

void MainWindow::start_queue() {
    if (const StudyPointer study = watcher_->study())
        watcher_->run([folder = study->folder] { start_scheduler(folder); });
}

void MainWindow::launch(const std::vector<LaunchRun>& runs) {
    const StudyPointer study = watcher_->study();
    if (!study) return;
    watcher_->run([folder = study->folder, runs] { queue_runs(folder, runs); });
    statusBar()->showMessage(
        runs.size() == 1 ? tr("1 run queued") : tr("%1 runs queued").arg(runs.size()), 5000);
}

void MainWindow::do_command(JobCommand command, const std::vector<std::string>& ids) {
    const StudyPointer study = watcher_->study();
    if (!study || ids.empty()) return;
    const RunPointer first = study->find(ids.front());
    switch (command) {
        case JobCommand::kRemove:
            return remove_runs(ids);
        case JobCommand::kShowLog:
            dock("workerLogDock")->show();
            return dock("workerLogDock")->raise();
        case JobCommand::kOpenFolder:
            if (first)
                QDesktopServices::openUrl(
                    QUrl::fromLocalFile(QString::fromStdString(first->folder.string())));
            return;
        default:
            break;
    }
    std::vector<RunPointer> runs;
    for (const std::string& id : ids)
        if (RunPointer run = study->find(id)) runs.push_back(std::move(run));
    watcher_->run([command, runs, folder = study->folder] {
        for (const RunPointer& run : runs) {
            if (command == JobCommand::kPause) pause_run(*run);
            if (command == JobCommand::kResume) resume_run(*run);
            if (command == JobCommand::kStop) stop_run(*run);
            if (command == JobCommand::kRequeue) requeue_run(*run);
        }
        if (command == JobCommand::kRequeue) start_scheduler(folder);
    });
}

void MainWindow::remove_runs(const std::vector<std::string>& ids) {
    const StudyPointer study = watcher_->study();
    QStringList folders;
    for (const std::string& id : ids) {
        const RunPointer run = study->find(id);
        if (run && actions_in(effective_phase(*run)).remove)
            folders << QString::fromStdString(run->folder.string());
    }
    if (folders.isEmpty()) return;
    QMessageBox box(QMessageBox::Warning, tr("Remove runs"),
                    tr("Move these runs with their logs and checkpoints to the trash?"),
                    QMessageBox::Cancel, this);
    box.setInformativeText(folders.mid(0, 8).join("\n"));
    QAbstractButton* remove = box.addButton(tr("Move to the trash"), QMessageBox::AcceptRole);
    box.setDefaultButton(QMessageBox::Cancel);
    box.setObjectName("removeRuns");
    box.exec();
    if (box.clickedButton() != remove) return;
    watcher_->run([folders] {
        for (const QString& folder : folders)
            if (!QFile::moveToTrash(folder))
                throw EnvironmentError(folder.toStdString() + " could not be moved to the trash",
                                       "remove it in a file manager");
    });
}

void MainWindow::toggle_pause() {
    const bool pause = jobs_->action(JobCommand::kPause)->isEnabled();
    do_command(pause ? JobCommand::kPause : JobCommand::kResume, jobs_->selected());
}

/// Writes what is looked at in the middle.
void MainWindow::ask_for_export(const QString& ending) {
    if (centre_->currentWidget() == inspector_) return export_attention(ending);
    ask_for_page("loss", ending, [this] { return make_page(loss_->figure(), false); });
}

void MainWindow::ask_for_page(const QString& name, const QString& ending,
                              const std::function<FigurePage()>& make_page) {
    const StudyPointer study = watcher_->study();
    const QString figures =
        study ? QString::fromStdString((study->folder / "figures").string()) : QDir::homePath();
    QDir().mkpath(figures);
    try {
        const QString file = ask_and_write_page(this, figures, name, ending, make_page);
        if (!file.isEmpty()) statusBar()->showMessage(tr("Wrote %1").arg(file), 8000);
    } catch (const std::exception& error) {
        show_error(QString::fromUtf8(error.what()));
    }
}

void MainWindow::show_keys() {
    KeysDialog dialog(actions(), this);
    dialog.exec();
}

void MainWindow::show_palette() {
    QList<QAction*> commands = findChildren<QAction*>();
    // A dock's own action hides it when it is there: to choose a view is to look at it.
    commands.removeIf([](QAction* action) { return qobject_cast<QDockWidget*>(action->parent()); });
    CommandPalette palette(commands, this);
    palette.exec();
}

void MainWindow::show_about() {
    QMessageBox::about(
        this, tr("About Headroom"),
        tr("<h3>Headroom %1</h3><p>A desktop studio for people who study Transformer "
           "attention.</p><p>Free software under the GNU General Public License, "
           "version 3 or later, with leave to link the CUDA libraries.</p>")
            .arg(HEADROOM_VERSION));
}

}  // namespace headroom
