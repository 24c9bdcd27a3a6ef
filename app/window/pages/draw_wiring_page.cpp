#include <QSettings>
#include <QTimer>
#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/window/pages/page_layout.h"
#include "app/window/pages/probed_runs_of.h"
#include "app/window/panels.h"
#include "app/window/services/launch_probe.h"
#include "app/window/services/run_commands.h"
#include "app/window/services/wiring_probes.h"
#include "app/window/services/wiring_trial_runner.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "core/config/presets.h"
#include "panels/base/latest_task.h"
#include "panels/base/number_format.h"
#include "panels/imgui/imgui_widget.h"
#include "panels/qt/panel.h"
#include "panels/wiring_editor/wiring_editor_controls.h"
#include "panels/wiring_editor/wiring_editor_panel.h"
#include "panels/wiring_editor/wiring_losses_panel.h"
#include "panels/wiring_editor/wiring_trial_strip.h"

namespace headroom {
namespace {

/// Ids of the presets among what a drawing starts from; runs have their own.
const std::string kStartPreset = "preset:";
const std::string kStartWiring = "wiring:";

/// Names of the wirings that a study keeps.
std::vector<std::string> kept_wirings(const std::filesystem::path& study) {
    std::vector<std::string> names;
    for (const std::filesystem::path& entry : entries_of(study / "wirings"))
        if (entry.extension() == ".json") names.push_back(entry.stem().string());
    return names;
}

class DrawWiringPage : public Panel {
  public:
    DrawWiringPage(const PageInfo& info, const StudioServices& services)
        : Panel(info),
          commands_(services.commands),
          editor_(new WiringEditorPanel),
          trial_(editor_, services.program),
          wiring_probes_(services.probes),
          lister_(kept_wirings, [this](std::vector<std::string> names) {
              QMetaObject::invokeMethod(
                  this,
                  [this, names = std::move(names)] {
                      kept_ = names;
                      offer_starts();
                  },
                  Qt::QueuedConnection);
          }) {
        fill_page(this, editor_);
        connect(editor_, &WiringEditorPanel::start_chosen, this,
                [this](const QString& id) { start_from(id.toStdString()); });
        connect(editor_, &WiringEditorPanel::edited, this, &Panel::stepped);
        connect(editor_, &WiringEditorPanel::changed, this, [this] {
            show_start();
            ask_memory();
            look_at_run();
            offer_trials();
            emit settings_changed();
            emit picture_changed();
        });
        connect(editor_, &WiringEditorPanel::run_asked, this, &DrawWiringPage::start_run);
        connect(editor_, &WiringEditorPanel::said, commands_, &RunCommands::say);
        connect(editor_, &WiringEditorPanel::measure_asked, this,
                [this] { wiring_probes_.measure(kRewireProbe); });
        connect(editor_->losses(), &WiringLossesPanel::measure_asked, this,
                [this](const QString& kind) { wiring_probes_.measure(kind.toStdString()); });
        connect(editor_->losses(), &WiringLossesPanel::stop_asked, this,
                [this] { wiring_probes_.stop(); });
        connect(&wiring_probes_, &WiringProbes::changed, this, &DrawWiringPage::show_findings);
        connect(editor_, &WiringEditorPanel::saved_in_study, this, &DrawWiringPage::list_wirings);
        connect(&probe_, &LaunchProbe::changed, this, &DrawWiringPage::show_memory);
    }

    void set_theme(const Theme& theme) override { editor_->set_theme(theme); }
    void relabel() override {
        editor_->refresh();
        editor_->losses()->relabel();
    }
    QWidget* options() override { return editor_->controls(); }
    // Not by a proxy: Tab would jump over what stands above the canvas.
    QWidget* focus_target() override {
        return editor_->canvas() ? editor_->canvas() : static_cast<QWidget*>(editor_);
    }
    bool has_picture() const override { return !editor_->editor().empty(); }
    FigurePage picture() const override { return editor_->page(); }
    QString picture_name() const override { return "drawn-wiring"; }
    void act() override { start_run(); }
    void fit() override { editor_->fit(); }
    void undo() override { editor_->undo(); }
    void redo() override { editor_->redo(); }

    /// What is drawn, so that neither closing the window nor a crash loses it.
    void save(QSettings& store) const override {
        store.beginGroup("drawWiring");
        store.remove("");
        if (!folder_.isEmpty() && !editor_->editor().empty() && editor_->editor().is_changed()) {
            const WiringDrawing& drawing = editor_->editor().drawing();
            store.setValue("study", folder_);
            store.setValue("title", QString::fromStdString(drawing.title));
            store.setValue("start", QString::fromStdString(dump_text(to_json(*drawing.start))));
            store.setValue("table", QString::fromStdString(editor_->editor().text()));
        }
        store.endGroup();
    }
    void restore(QSettings& store) override {
        store.beginGroup("drawWiring");
        const auto text = [&](const char* key) { return store.value(key).toString(); };
        kept_drawing_ = {text("study"), text("title"), text("start"), text("table")};
        store.endGroup();
    }

    // Neither views nor their history have a drawing: it has its own.
    void save_view(QSettings&) const override {}
    void restore_view(QSettings&) override {}

    void set_study(const StudyLook& look) override {
        look_ = look;
        const QString folder =
            look.is_open() ? QString::fromStdString(look.study->folder.string()) : QString();
        const bool is_other_study = folder != folder_;
        if (is_other_study) {
            editor_->set_folder(folder_ = folder);
            kept_.clear();
            list_wirings();
        }
        offer_starts();
        if (is_other_study) take_up_kept();
        const RunPointer reference = look.run(look.reference);
        editor_->set_reference(reference ? reference->name : "",
                               reference ? reference->job : nullptr);
        // Until something is drawn or marked, it is the selected run's wiring.
        const RunPointer run = look.focused();
        const bool untouched = (is_other_study && !took_up_) || !is_touched(editor_->editor());
        const bool is_new =
            run && run->job && (is_other_study || !followed_ || !(*run->job == *followed_));
        if (is_new && untouched) {
            followed_ = run->job;
            editor_->begin(run->name, *run->job);
            editor_->show_start(run->id);
        }
        if (!editor_->editor().empty()) {
            look_at_run();
            show_step_time();
        }
        offer_trials();
    }

  private:
    static bool is_touched(const WiringEditor& editor) {
        return !editor.empty() &&
               (editor.can_undo() || editor.is_asking() || !editor.marked().empty());
    }

    /// The drawing of this study that save() kept.
    void take_up_kept() {
        took_up_ = false;
        const KeptDrawing kept = std::exchange(kept_drawing_, {});
        if (kept.study != folder_ || folder_.isEmpty()) return;
        try {
            const Job start = parse_job(parse_json(kept.start.toStdString(), "the drawing"), "");
            editor_->take_up(kept.title.toStdString(), start, kept.table.toStdString());
            took_up_ = true;
            QTimer::singleShot(0, this, &Panel::stepped);  // once the study has its history
        } catch (const std::exception&) {
            // Of another version: a new drawing is begun.
        }
    }

    /// The box says what is drawn on, also where undo led back to another start.
    void show_start() {
        if (const RunPointer run = started_run()) return editor_->show_start(run->id);
        for (const auto& [id, name] : starts_)
            if (name == editor_->editor().drawing().title) return editor_->show_start(id);
    }

    void list_wirings() {
        if (!folder_.isEmpty()) lister_.request(folder_.toStdString());
    }

    void offer_starts() {
        std::vector<std::pair<std::string, std::string>> starts;
        for (const RunPointer& run : look_.runs())
            if (run->job) starts.emplace_back(run->id, run->name);
        for (const std::string& name : kept_)
            starts.emplace_back(kStartWiring + name, "wiring " + name);
        for (const Preset& preset : presets())
            starts.emplace_back(kStartPreset + preset.name, "preset " + preset.name);
        if (starts != starts_) editor_->set_starts(starts_ = starts);
    }

    /// The job of a run or a preset; nothing where it cannot be read.
    std::pair<std::string, std::shared_ptr<const Job>> named(const std::string& id) const {
        if (const RunPointer run = look_.run(id)) return {run->name, run->job};
        if (!id.starts_with(kStartPreset)) return {};
        const std::string name = id.substr(kStartPreset.size());
        try {
            return {"preset " + name, std::make_shared<Job>(preset_job(name))};
        } catch (const UserError& error) {
            commands_->say(QString::fromStdString(error.what()));
            return {};
        }
    }

    void start_from(const std::string& id) {
        if (id.starts_with(kStartWiring))
            return editor_->open_file(folder_ + "/wirings/" +
                                      QString::fromStdString(id.substr(kStartWiring.size())) +
                                      ".json");
        const auto [name, job] = named(id);
        if (!job) return;
        const bool is_first = editor_->editor().empty();
        if (is_first)
            editor_->begin(name, *job);
        else
            editor_->start(name, *job);
        if (!is_first) emit stepped();
    }

    void start_run() {
        if (editor_->editor().empty()) return;
        commands_->ask_model(editor_->editor().job().model, started_run());
    }

    /// The run that the drawing started from; nullptr if that was a preset.
    RunPointer started_run() const {
        if (editor_->editor().empty()) return nullptr;
        const WiringDrawing& drawing = editor_->editor().drawing();
        RunPointer started;
        for (const RunPointer& run : look_.runs()) {
            if (!run->job) continue;
            if (*run->job == *drawing.start) return run;
            // A run's job may be told in full only once it is trained.
            const bool same_sizes = run->job->model.n_layer == drawing.start->model.n_layer &&
                                    run->job->model.n_head == drawing.start->model.n_head;
            if (run->name == drawing.title && same_sizes) started = run;
        }
        return started;
    }

    /// What the drawing can be tried on.
    void offer_trials() {
        std::vector<TrialRun> runs;
        for (const RunPointer& run : look_.runs())
            if (run->job && !run->checkpoints.empty())
                runs.push_back(
                    {run->id, run->name, run->folder, run->checkpoints.back().step, run->job});
        const RunPointer started = started_run();
        editor_->trial()->set_runs(std::move(runs), started ? started->id : "");
    }

    /// Which trained run is asked what wirings cost without training.
    void look_at_run() {
        const RunPointer run = started_run();
        const bool trained = run && !run->checkpoints.empty();
        wiring_probes_.look_at(trained ? std::optional(probeable(*run)) : std::nullopt);
        show_findings();
    }

    void show_findings() {
        const WiringFindings& findings = wiring_probes_.findings();
        editor_->losses()->set_findings(findings);
        const std::string working = wiring_probes_.working_on();
        editor_->losses()->set_work(working, wiring_probes_.share(), wiring_probes_.problem());
        if (findings.run.empty())
            return editor_->set_rewire(
                nullptr, "Start from a trained run to see what each source costs it.", false);
        if (findings.rewire)
            return editor_->set_rewire(
                findings.rewire,
                fmt::format("{}, step {}: while a head is dragged, or asks where from (Return), "
                            "places are coloured by the nats that the loss rises when it alone "
                            "reads there; a click takes one.",
                            findings.run, findings.rewire->step),
                false);
        const std::string& problem =
            findings.problem.empty() ? wiring_probes_.problem() : findings.problem;
        if (!working.empty())
            editor_->set_rewire(nullptr, "Being measured …", false);
        else if (!problem.empty())
            editor_->set_rewire(nullptr, problem, true);
        else if (wiring_probes_.looked())
            editor_->set_rewire(
                nullptr, "What each source costs " + findings.run + " was not measured yet.", true);
        else
            editor_->set_rewire(nullptr, "", false);
    }

    void ask_memory() {
        const Job& job = editor_->editor().job();
        if (job.model.vocab_size > 0) probe_.want_memory({{dump_text(to_json(job)), job}});
        show_memory();
        show_step_time();
    }

    void show_step_time() {
        const WiringDrawing& drawing = editor_->editor().drawing();
        editor_->controls()->set_step_time(step_time_words(
            *drawing.job, *drawing.start, look_.study ? look_.study->flops_per_second : 0));
    }

    void show_memory() {
        if (editor_->editor().empty()) return;
        const Job& job = editor_->editor().job();
        const auto facts = probe_.memory().find(dump_text(to_json(job)));
        if (job.model.vocab_size <= 0)
            editor_->set_memory("Memory is told once the data are known.");
        else if (facts == probe_.memory().end())
            editor_->set_memory("Memory of training: being planned …");
        else if (!facts->second.error.empty())
            editor_->set_memory(facts->second.error);
        else
            editor_->set_memory(fmt::format("Memory of training: {} ({} × {} tokens)",
                                            format_bytes(facts->second.memory.training.total),
                                            job.train.batch_size, job.train.seq_len));
    }

    RunCommands* commands_;
    WiringEditorPanel* editor_;
    WiringTrialRunner trial_;
    WiringProbes wiring_probes_;
    LaunchProbe probe_;
    StudyLook look_;
    QString folder_;  ///< of the study
    struct KeptDrawing {
        QString study, title, start, table;
    };
    KeptDrawing kept_drawing_;
    bool took_up_ = false;  ///< what is drawn is from the session before
    std::shared_ptr<const Job> followed_;
    std::vector<std::pair<std::string, std::string>> starts_;
    std::vector<std::string> kept_;  ///< wirings of the study
    /// Last: it ends before the rest goes.
    LatestTask<std::filesystem::path, std::vector<std::string>> lister_;
};

}  // namespace

Page draw_wiring_page() {
    return {
        {"drawWiring", Panel::tr("Draw wiring"),
         Panel::tr("A wiring to be drawn: a row is a layer, a column a head. Drag a head, or the "
                   "number of a layer or a head, to what it shall read; a click marks, Shift+click "
                   "marks as far as there, Shift+drag marks a rectangle, Ctrl+click adds or takes "
                   "out; Ctrl+drag adds a source to what is read already. **Paint** lays a rule on "
                   "the marked heads, on all where none is marked. By keys: arrows move, with "
                   "Shift they mark, Space marks, Return asks where from and Return again takes "
                   "it (A adds it to what is read already); K, V and B choose keys, values or "
                   "both, O gives a head its own back, N "
                   "nothing, U repeats the marked layers above, M mirrors heads, T reverses "
                   "layers; Ctrl+Z takes back. What cannot be is refused with its reason. Counts "
                   "follow at once; **Start a run…** fills the drawing into a form.")},
        make_panel<DrawWiringPage>};
}

}  // namespace headroom
