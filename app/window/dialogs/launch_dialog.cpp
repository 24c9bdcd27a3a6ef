#include "app/window/dialogs/launch_dialog.h"

#include <QDir>
#include <QKeyEvent>
#include <QVBoxLayout>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "app/window/dialogs/picture_dialog.h"
#include "app/window/services/job_queue.h"
#include "core/base/json_text.h"
#include "panels/launch/launch_panel.h"
#include "panels/launch/launch_summary.h"

namespace headroom {

/// The "job" of a study's file as text; "" where there is none that can be read.
static std::string read_study_job(const std::filesystem::path& study) {
    try {
        if (!std::filesystem::exists(study / "study.json")) return "";
        const nlohmann::json document = load_json(study / "study.json");
        return document.contains("job") ? document.at("job").dump() : "";
    } catch (const std::exception&) {
        return "";
    }
}

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
    connect(panel_, &LaunchPanel::undo_asked, this, [this](const std::string& path) {
        set_input(without_change(panel_->input(), place_, path));
    });
    connect(panel_->summary(), &LaunchSummary::reset_asked, this, &LaunchDialog::start);
    connect(panel_->summary(), &LaunchSummary::cancel_asked, this, &LaunchDialog::reject);
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
    const bool same_study = place_.study == study->folder.string();
    if (same_study && place_.taken == taken) return;
    place_.study = study->folder.string();
    place_.taken = std::move(taken);
    same_study ? rebuild() : start();
}

void LaunchDialog::start() {
    place_.study_job = read_study_job(place_.study);
    set_input(start_input(place_));
}

void LaunchDialog::keyPressEvent(QKeyEvent* event) {
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (!enter) return QDialog::keyPressEvent(event);
    event->accept();
    if (event->modifiers() & Qt::ControlModifier) launch();
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
