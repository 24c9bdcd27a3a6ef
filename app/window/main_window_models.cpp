#include <QDockWidget>
#include <algorithm>

#include <nlohmann/json.hpp>

#include "app/window/main_window.h"
#include "core/config/job_json.h"
#include "core/config/presets.h"
#include "panels/architecture/architecture_panel.h"
#include "panels/compare/compare_panel.h"
#include "panels/memory/memory_panel.h"
#include "panels/wiring/wiring_canvas.h"

namespace headroom {
namespace {

/// Ids of the presets among the baselines to choose from; runs have their own.
const std::string kPresetPrefix = "preset:";

/// The job of a preset alone; nothing where it does not stand by itself.
std::shared_ptr<const Job> preset_job(const std::string& name) {
    try {
        return std::make_shared<Job>(parse_job({{"model", {{"preset", name}}}}, ""));
    } catch (const std::exception&) {
        return nullptr;
    }
}

}  // namespace

void MainWindow::make_model_panels() {
    connect(architecture_, &ArchitecturePanel::export_asked, this,
            &MainWindow::export_architecture);
    connect(compare_, &ComparePanel::export_asked, this, &MainWindow::export_comparison);
    connect(compare_, &ComparePanel::choice_changed, this, [this] {
        show_comparison();
        update_actions();
    });
    connect(memory_, &MemoryPanel::export_asked, this,
            [this] { ask_for_page("memory", "pdf", [this] { return memory_->page(); }); });
    compare_->set_empty_text(
        tr("Select a run, and above what to compare it with; or select two runs in the queue."));
}

void MainWindow::export_architecture() {
    QString name = "architecture-" + QString::fromStdString(architecture_->view().title);
    ask_for_page(name.replace('/', '-'), "pdf", [this] { return architecture_->page(); });
}

void MainWindow::export_comparison() {
    ask_for_page("architectures", "pdf", [this] { return compare_->page(); });
}

void MainWindow::show_model(const RunPointer& run) {
    architecture_->set_view(run->job ? build_architecture(run->job->model, run->name)
                                     : ArchitectureView{});
}

void MainWindow::fill_baselines() {
    std::vector<std::pair<std::string, std::string>> choices;
    for (const RunPointer& run : watcher_->study()->runs)
        if (run->job) choices.emplace_back(run->id, run->name);
    for (const Preset& preset : presets())
        choices.emplace_back(kPresetPrefix + preset.name, "preset " + preset.name);
    compare_->set_choices(choices);
}

/// Two selected runs with each other, the upper one as the baseline; one with what was chosen.
void MainWindow::show_comparison() {
    const StudyPointer& study = watcher_->study();
    if (!study) return;
    std::vector<std::string> ids = jobs_->selected();
    if (ids.size() > 1) compare_->choose(ids.front());
    std::vector<std::pair<std::string, std::shared_ptr<const Job>>> compared;
    const auto add = [&](const std::string& id) {
        if (id.starts_with(kPresetPrefix)) {
            const std::string name = id.substr(kPresetPrefix.size());
            // Built once: the same pointer says that nothing changed.
            const auto shown = std::find_if(compared_.begin(), compared_.end(),
                                            [&](const auto& each) { return each.first == name; });
            if (auto job = shown != compared_.end() ? shown->second : preset_job(name))
                compared.emplace_back(name, std::move(job));
        } else if (const RunPointer run = study->find(id); run && run->job) {
            compared.emplace_back(run->name, run->job);
        }
    };
    const std::string model = ids.empty() ? "" : ids.size() > 1 ? ids[1] : ids[0];
    if (model != compare_->choice()) {
        add(model);
        add(compare_->choice());
    }
    if (compared == compared_) return;
    compared_ = compared;
    if (compared.size() < 2) return compare_->set_view({});
    const auto& [name, job] = compared[0];
    compare_->set_view(build_compare(
        {name, job->model}, {compared[1].first, compared[1].second->model}, job->train.seq_len));
}

/// The selected runs, or all of the study where fewer than two are selected; of equal models, such
/// as several seeds, the first.
void MainWindow::show_memory() {
    const StudyPointer& study = watcher_->study();
    if (!study) return;
    std::vector<MemoryRun> shown;
    for (const RunPointer& run : selected_or_all(study->runs, jobs_->selected())) {
        if (!run->job) continue;
        if (std::none_of(shown.begin(), shown.end(), [&](const MemoryRun& other) {
                return other.job->model == run->job->model;
            }))
            shown.push_back({run->name, run->job});
    }
    memory_->set_runs(shown);
}

void MainWindow::toggle_wiring_colors() {
    WiringSettings settings = wiring_->settings();
    settings.color_by = settings.color_by == WiringColoring::kSource ? WiringColoring::kCacheOwner
                                                                     : WiringColoring::kSource;
    wiring_->set_settings(settings);
    dock("wiringDock")->show();
    dock("wiringDock")->raise();
}

}  // namespace headroom
