#include "app/window/pages/launch_page.h"

#include <QDir>
#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "app/window/dialogs/picture_dialog.h"
#include "app/window/pages/page_layout.h"
#include "app/window/panels.h"
#include "app/window/services/job_queue.h"
#include "app/window/services/run_commands.h"
#include "core/account/flops.h"
#include "core/base/error.h"
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

LaunchPage::LaunchPage(const StudioServices& services)
    : Panel("newRuns", tr("New runs"),
            tr("Runs to be trained: variants × seeds × lists of numbers (such as 1e-3, 2e-3), each "
               "with the study's own job and what you change about it here. Parameters, tokens and "
               "memory are counted while you type. "
               "Ctrl+Enter queues them and writes them into study.json; Esc forgets the form.")),
      commands_(services.commands),
      panel_(new LaunchPanel) {
    place_.program = headroom_program().string();
    place_.machine_bytes = int64_t{sysconf(_SC_PHYS_PAGES)} * int64_t{sysconf(_SC_PAGESIZE)};
    place_.working_folder = QDir::currentPath().toStdString();
    fill_page(this, panel_);
    connect(panel_, &LaunchPanel::input_changed, this, &LaunchPage::rebuild);
    connect(&probe_, &LaunchProbe::changed, this, &LaunchPage::rebuild);
    connect(panel_, &LaunchPanel::match_asked, this, [this](const MatchQuestion& question) {
        probe_.want_match(panel_->input(), place_, question);
    });
    connect(&probe_, &LaunchProbe::matched, panel_, &LaunchPanel::show_match);
    connect(panel_, &LaunchPanel::undo_asked, this, [this](const std::string& path) {
        set_input(without_change(panel_->input(), place_, path));
    });
    connect(commands_, &RunCommands::like_asked, this, &LaunchPage::start_like);
    connect(commands_, &RunCommands::model_asked, this, &LaunchPage::start_model);
    connect(panel_->summary(), &LaunchSummary::reset_asked, this, &LaunchPage::start);
    connect(panel_->summary(), &LaunchSummary::cancel_asked, this, &LaunchPage::cancel);
    connect(panel_->summary(), &LaunchSummary::launch_asked, this, &LaunchPage::launch);
    connect(panel_->summary(), &LaunchSummary::picture_asked, this, &LaunchPage::show_pictures);
}

/// Training FLOPs a second of the study's runs, the middle one; 0 while none has trained here.
static double training_rate(const std::vector<RunPointer>& runs) {
    constexpr size_t kEnough = 9;
    std::vector<double> rates;
    for (const RunPointer& run : runs) {
        if (!run->job || run->job->model.vocab_size <= 0 || !(run->status.tokens_per_second > 0))
            continue;
        const FlopCount flops = count_flops(run->job->model, run->job->train.seq_len);
        rates.push_back(static_cast<double>(flops.training()) * run->status.tokens_per_second);
        if (rates.size() == kEnough) break;
    }
    if (rates.empty()) return 0;
    const auto middle = rates.begin() + static_cast<long>(rates.size() / 2);
    std::nth_element(rates.begin(), middle, rates.end());
    return *middle;
}

void LaunchPage::set_study(const StudyLook& look) {
    if (!look.is_open()) {
        place_.study.clear();
        return;
    }
    std::set<std::string> taken;
    place_.runs.clear();
    for (const RunPointer& run : look.runs()) {
        taken.insert(run->id);
        if (run->job) place_.runs.emplace(run->id, run->job);
    }
    const bool same_study = place_.study == look.study->folder.string();
    const bool had_rate = same_study && place_.flops_per_second > 0;
    if (!had_rate) place_.flops_per_second = training_rate(look.runs());
    if (same_study && !had_rate && place_.flops_per_second > 0 && place_.taken == taken)
        return rebuild();
    if (same_study && place_.taken == taken) return;
    place_.study = look.study->folder.string();
    place_.taken = std::move(taken);
    same_study ? rebuild() : start();
}

QWidget* LaunchPage::focus_target() {
    return panel_;
}

bool LaunchPage::leave() {
    cancel();
    return true;
}

void LaunchPage::cancel() {
    start();
    if (pictures_) pictures_->close();
    emit page_asked("runs");
}

void LaunchPage::start() {
    place_.study_job = read_study_job(place_.study);
    set_input(start_input(place_));
}

void LaunchPage::start_like(const RunPointer& run) {
    emit page_asked(name());
    place_.study_job = read_study_job(place_.study);
    try {
        set_input(input_like(*run->job, place_));
    } catch (const UserError& error) {
        commands_->say(QString::fromStdString(error.what()));
    }
}

void LaunchPage::start_model(const ModelConfig& model, const RunPointer& trained) {
    emit page_asked(name());
    place_.study_job = read_study_job(place_.study);
    try {
        set_input(input_of_model(model, trained ? trained->job : nullptr, place_));
    } catch (const UserError& error) {
        commands_->say(QString::fromStdString(error.what()));
    }
}

void LaunchPage::set_input(const LaunchInput& input) {
    panel_->set_input(input);
    rebuild();
}

const LaunchInput& LaunchPage::input() const {
    return panel_->input();
}

/// Builds the form's view. The data are those of the first run that the form makes sense of; while
/// no run does, the last answer about the data stands.
void LaunchPage::rebuild() {
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

void LaunchPage::show_pictures() {
    if (!pictures_) pictures_ = new PictureDialog(this);
    pictures_->set_runs(view_.runs);
    pictures_->show();
    pictures_->raise();
}

void LaunchPage::launch() {
    if (!view_.can_launch) return;
    commands_->launch(view_.runs);
    cancel();
}

Panel* make_launch_page(const StudioServices& services) {
    return new LaunchPage(services);
}

}  // namespace headroom
