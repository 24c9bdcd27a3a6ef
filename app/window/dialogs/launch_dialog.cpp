#include "app/window/dialogs/launch_dialog.h"

#include <QDir>
#include <QVBoxLayout>

#include <unistd.h>

#include "app/window/dialogs/picture_dialog.h"
#include "app/window/services/job_queue.h"
#include "panels/launch/launch_panel.h"
#include "panels/launch/launch_summary.h"

namespace headroom {

LaunchDialog::LaunchDialog(QWidget* parent) : QDialog(parent), panel_(new LaunchPanel) {
    setWindowTitle(tr("New runs"));
    setObjectName("launchDialog");
    resize(1180, 740);
    place_.program = headroom_program().string();
    place_.machine_bytes = int64_t{sysconf(_SC_PHYS_PAGES)} * int64_t{sysconf(_SC_PAGESIZE)};
    place_.working_folder = QDir::currentPath().toStdString();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(panel_);
    connect(panel_, &LaunchPanel::input_changed, this, &LaunchDialog::rebuild);
    connect(&probe_, &LaunchProbe::changed, this, &LaunchDialog::rebuild);
    connect(panel_, &LaunchPanel::match_asked, this, [this](const MatchQuestion& question) {
        probe_.want_match(panel_->input(), place_, question);
    });
    connect(&probe_, &LaunchProbe::matched, panel_, &LaunchPanel::show_match);
    connect(panel_->summary(), &LaunchSummary::launch_asked, this, &LaunchDialog::launch);
    connect(panel_->summary(), &LaunchSummary::picture_asked, this, &LaunchDialog::show_pictures);
}

void LaunchDialog::set_study(const StudyPointer& study) {
    std::set<std::string> taken;
    place_.runs.clear();
    for (const RunPointer& run : study->runs) {
        taken.insert(run->id);
        if (run->job) place_.runs.emplace(run->id, run->job);
    }
    if (place_.study == study->folder.string() && place_.taken == taken) return;
    place_.study = study->folder.string();
    place_.taken = std::move(taken);
    rebuild();
}

void LaunchDialog::set_input(const LaunchInput& input) {
    panel_->set_input(input);
    rebuild();
}

const LaunchInput& LaunchDialog::input() const {
    return panel_->input();
}

/// Builds the form's view. The data are those of the first run that the form makes sense of; while
/// no run does, the last answer about the data stands.
void LaunchDialog::rebuild() {
    place_.memory = probe_.memory();
    view_ = build_launch(panel_->input(), place_);
    if (!view_.runs.empty()) {
        const auto facts = probe_.data(view_.runs.front().job.data);
        if (facts != place_.data) {
            place_.data = facts;
            view_ = build_launch(panel_->input(), place_);
        }
    }
    std::map<std::string, Job> unknown;
    for (const LaunchRun& run : view_.runs)
        if (const auto job = planned_job(run, place_); job && !run.memory)
            unknown.emplace(run.memory_key, *job);
    probe_.want_memory(std::move(unknown));
    panel_->set_view(view_);
    if (pictures_) pictures_->set_runs(view_.runs);
}

void LaunchDialog::show_pictures() {
    if (!pictures_) pictures_ = new PictureDialog(this);
    pictures_->set_runs(view_.runs);
    pictures_->show();
    pictures_->raise();
}

void LaunchDialog::launch() {
    if (!view_.can_launch) return;
    emit launch_asked(view_.runs);
    accept();
}

}  // namespace headroom
