#include "app/window/pages/launch_page.h"

#include <QDir>
#include <QPointer>
#include <QPushButton>
#include <QSettings>
#include <utility>

#include <unistd.h>

#include "app/window/dialogs/picture_dialog.h"
#include "app/window/pages/page_layout.h"
#include "app/window/panels.h"
#include "app/window/services/job_queue.h"
#include "app/window/services/run_commands.h"
#include "core/base/error.h"
#include "panels/launch/launch_base.h"
#include "panels/launch/launch_panel.h"
#include "panels/launch/launch_probes.h"
#include "panels/launch/launch_store.h"
#include "panels/launch/launch_summary.h"

namespace headroom {

LaunchPage::LaunchPage(const PageInfo& info, const StudioServices& services)
    : Panel(info), commands_(services.commands), panel_(new LaunchPanel) {
    place_.program = headroom_program().string();
    place_.machine_bytes = int64_t{sysconf(_SC_PHYS_PAGES)} * int64_t{sysconf(_SC_PAGESIZE)};
    place_.working_folder = QDir::currentPath().toStdString();
    fill_page(this, panel_);
    connect(panel_, &LaunchPanel::input_changed, this, &LaunchPage::rebuild);
    connect(&probe_, &LaunchProbe::changed, this, &LaunchPage::rebuild);
    connect(panel_, &LaunchPanel::match_asked, this, [this](const MatchQuestion& question) {
        probe_.want_match(panel_->input(), place_, question);
    });
    connect(panel_, &LaunchPanel::probe_asked, this,
            [this](const std::string& kind, bool chosen, const std::string& every) {
                set_input(with_probe(panel_->input(), place_, kind, chosen, every));
            });
    connect(panel_, &LaunchPanel::offer_taken, this, [this] {
        const auto left = parse_launch_text(offered_.toStdString());
        offer({});
        if (left) set_input(*left);
    });
    connect(panel_, &LaunchPanel::offer_forgotten, this, [this] {
        offer({});
        keep_form();
    });
    connect(&probe_, &LaunchProbe::matched, panel_, &LaunchPanel::show_match);
    connect(panel_, &LaunchPanel::undo_asked, this, [this](const std::string& path) {
        set_input(without_change(panel_->input(), place_, path));
    });
    connect(commands_, &RunCommands::like_asked, this, &LaunchPage::start_like);
    connect(commands_, &RunCommands::model_asked, this, &LaunchPage::start_model);
    connect(panel_->summary(), &LaunchSummary::reset_asked, this, &LaunchPage::discard);
    connect(panel_->summary(), &LaunchSummary::cancel_asked, this, &LaunchPage::cancel);
    connect(panel_->summary(), &LaunchSummary::launch_asked, this, &LaunchPage::launch);
    connect(panel_->summary(), &LaunchSummary::picture_asked, this, &LaunchPage::show_pictures);
}

void LaunchPage::set_study(const StudyLook& look) {
    study_ = look.study;
    if (!look.is_open()) {
        place_.study.clear();
        return;
    }
    std::set<std::string> taken = study_->in_trash;
    place_.runs.clear();
    first_run_.reset();
    for (const RunPointer& run : look.runs()) {
        taken.insert(run->id);
        if (run->job) place_.runs.emplace(run->id, run->job);
        if (!first_run_ && !run->planned) first_run_ = run->job;
    }
    const bool same_study = place_.study == study_->folder.string();
    const bool same_rate = place_.flops_per_second == study_->flops_per_second;
    place_.flops_per_second = study_->flops_per_second;
    if (same_study && same_rate && place_.taken == taken) return;
    place_.study = study_->folder.string();
    place_.taken = std::move(taken);
    if (same_study) return rebuild();
    const QString left = left_.value(QString::fromStdString(place_.study)).toString();
    offer(parse_launch_text(left.toStdString()) ? left : QString());
    start();
}

void LaunchPage::offer(const QString& left) {
    offered_ = left;
    panel_->set_offer(!left.isEmpty());
}

void LaunchPage::save(QSettings& store) const {
    store.setValue("newRuns/left", left_);
}

void LaunchPage::restore(QSettings& store) {
    left_ = store.value("newRuns/left").toMap();
}

LaunchInput LaunchPage::unproposed() const {
    LaunchInput now = panel_->input();
    if (now.seeds == proposed_seeds_) now.seeds = begun_.seeds;
    return now;
}

bool LaunchPage::is_untouched() const {
    return unproposed() == begun_;
}

/// What is in the form, so that it is not lost with the window; what was left before stays as long
/// as nothing new is.
void LaunchPage::keep_form() {
    if (place_.study.empty()) return;
    const QString text =
        is_untouched() ? offered_ : QString::fromStdString(launch_text(unproposed()));
    const QString study = QString::fromStdString(place_.study);
    if (left_.value(study).toString() == text) return;
    if (text.isEmpty())
        left_.remove(study);
    else
        left_[study] = text;
    emit settings_changed();
}

QWidget* LaunchPage::focus_target() {
    return panel_;
}

bool LaunchPage::leave() {
    cancel();
    return true;
}

void LaunchPage::cancel() {
    discard();
    close_form();
}

void LaunchPage::close_form() {
    if (pictures_) pictures_->close();
    emit page_asked("runs");
}

/// New forms are filled from study.json as it stands now.
void LaunchPage::take_study_job() {
    place_.study_job = study_ ? job_of_study(study_->job, first_run_, place_.study) : "";
}

void LaunchPage::start() {
    take_study_job();
    begun_ = start_input(place_);
    proposed_seeds_ = begun_.seeds;
    set_input(begun_);
}

void LaunchPage::discard() {
    const LaunchInput written = panel_->input();
    start();
    const LaunchInput begun = panel_->input();
    if (written == begun || !study_) return;
    commands_->note(
        tr("discard the form of new runs"),
        [this, written] {
            set_input(written);
            emit page_asked("newRuns");
        },
        [this, begun] { set_input(begun); });
}

void LaunchPage::follow_variants() {
    LaunchInput now = panel_->input();
    if (now.seeds != proposed_seeds_) return;
    now.seeds = proposed_seeds(now, place_);
    if (now.seeds == std::exchange(proposed_seeds_, now.seeds)) return;
    panel_->set_input(now);
}

void LaunchPage::start_like(const RunPointer& run) {
    take_study_job();
    try {
        set_input(input_like(*run->job, place_));
    } catch (const UserError& error) {
        commands_->say(QString::fromStdString(error.what()));
    }
}

void LaunchPage::start_model(const ModelConfig& model, const RunPointer& trained) {
    take_study_job();
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
    follow_variants();
    keep_form();
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
    if (launching_) view_.can_launch = false;  // a press would be lost, so the button says so
    panel_->set_view(view_);
    panel_->summary()->reset_button()->setEnabled(!is_untouched());
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
    const std::vector<LaunchRun> runs = view_.runs;
    launching_ = true;
    rebuild();
    commands_->launch(runs, [page = QPointer(this)](bool done) {
        if (!page) return;
        page->launching_ = false;
        if (!done) return page->rebuild();  // the form stays for another try
        page->start();
        page->close_form();
    });
}

Page launch_page() {
    return {
        {"newRuns", Panel::tr("New runs"),
         Panel::tr(
             "Runs to be trained: variants × seeds × lists of numbers (such as 1e-3, 2e-3), each "
             "with the study's own job and what you change about it here. Parameters, tokens and "
             "memory are counted while you type. "
             "Ctrl+Enter queues them and writes them into study.json; Esc forgets the form, Ctrl+Z "
             "brings it back.")},
        make_panel<LaunchPage>};
}

}  // namespace headroom
