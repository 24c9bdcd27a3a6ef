#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/window/pages/page_layout.h"
#include "app/window/panels.h"
#include "app/window/services/launch_probe.h"
#include "app/window/services/probe_queue.h"
#include "app/window/services/run_commands.h"
#include "app/window/services/wiring_trial_runner.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "core/config/presets.h"
#include "panels/base/latest_task.h"
#include "panels/base/number_format.h"
#include "panels/probe/probed_runs.h"
#include "panels/qt/panel.h"
#include "panels/wiring_editor/wiring_editor_controls.h"
#include "panels/wiring_editor/wiring_editor_panel.h"
#include "panels/wiring_editor/wiring_trial_strip.h"

namespace headroom {
namespace {

/// Ids of the presets among what a drawing starts from; runs have their own.
const std::string kStartPreset = "preset:";

class DrawWiringPage : public Panel {
  public:
    explicit DrawWiringPage(const StudioServices& services)
        : Panel("drawWiring", tr("Draw wiring"),
                tr("A wiring to be drawn: a row is a layer, a column a head. Drag a head, or the "
                   "number of a layer or a head, to what it shall read; a click marks, Shift+click "
                   "marks as far as there, Shift+drag marks a rectangle, Ctrl+click adds or takes "
                   "out; Ctrl+drag adds a source to what is read already. **Paint** lays a rule on "
                   "the marked heads, on all where none is marked. By keys: arrows move, with "
                   "Shift they mark, Space marks, Return asks where from and Return again takes "
                   "it (A adds it to what is read already); K, V and B choose keys, values or "
                   "both, O gives a head its own back, N "
                   "nothing, U repeats the marked layers above, M mirrors heads, T reverses "
                   "layers; Ctrl+Z takes back. What cannot be is refused with its reason. Counts "
                   "follow at once; **Start a run…** fills the drawing into a form.")),
          commands_(services.commands),
          probes_(services.probes),
          editor_(new WiringEditorPanel),
          trial_(editor_, services.program),
          reader_(&DrawWiringPage::read_losses, [this](LossAnswer answer) {
              QMetaObject::invokeMethod(
                  this, [this, answer = std::move(answer)] { take_losses(answer); },
                  Qt::QueuedConnection);
          }) {
        fill_page(this, editor_);
        connect(editor_, &WiringEditorPanel::start_chosen, this,
                [this](const QString& id) { start_from(id.toStdString()); });
        connect(editor_, &WiringEditorPanel::edited, this, &Panel::stepped);
        connect(editor_, &WiringEditorPanel::changed, this, [this] {
            ask_memory();
            show_losses();
            offer_trials();
        });
        connect(editor_, &WiringEditorPanel::run_asked, this, &DrawWiringPage::start_run);
        connect(editor_, &WiringEditorPanel::said, commands_, &RunCommands::say);
        connect(editor_, &WiringEditorPanel::measure_asked, this, [this] {
            if (const RunPointer run = started_run()) probes_->add("rewire", probed(run));
            show_losses();
        });
        connect(probes_, &ProbeQueue::probed, this, &DrawWiringPage::show_losses);
        connect(probes_, &ProbeQueue::moved, this, &DrawWiringPage::show_losses);
        connect(&probe_, &LaunchProbe::changed, this, &DrawWiringPage::show_memory);
    }

    void set_theme(const Theme& theme) override { editor_->set_theme(theme); }
    void relabel() override { editor_->refresh(); }
    QWidget* options() override { return editor_->controls(); }
    QWidget* focus_target() override { return editor_; }
    void act() override { start_run(); }
    void fit() override { editor_->fit(); }
    void undo() override { editor_->undo(); }
    void redo() override { editor_->redo(); }

    void set_study(const StudyLook& look) override {
        look_ = look;
        const QString folder =
            look.is_open() ? QString::fromStdString(look.study->folder.string()) : QString();
        const bool is_other_study = folder != folder_;
        if (is_other_study) editor_->set_folder(folder_ = folder);
        std::vector<std::pair<std::string, std::string>> starts;
        for (const RunPointer& run : look.runs())
            if (run->job) starts.emplace_back(run->id, run->name);
        for (const Preset& preset : presets())
            starts.emplace_back(kStartPreset + preset.name, "preset " + preset.name);
        if (starts != starts_) editor_->set_starts(starts_ = starts);
        const RunPointer reference = look.run(look.reference);
        editor_->set_reference(reference ? reference->name : "",
                               reference ? reference->job : nullptr);
        // Until something is drawn, it is the selected run's wiring.
        const RunPointer run = look.focused();
        const bool untouched =
            is_other_study || editor_->editor().empty() || !editor_->editor().can_undo();
        const bool is_new =
            run && run->job && (is_other_study || !followed_ || !(*run->job == *followed_));
        if (is_new && untouched) {
            followed_ = run->job;
            editor_->begin(run->name, *run->job);
            editor_->show_start(run->id);
        }
        if (!editor_->editor().empty()) show_losses();
        offer_trials();
    }

  private:
    /// The job of a run or a preset; nothing where it cannot be read.
    std::pair<std::string, std::shared_ptr<const Job>> named(const std::string& id) const {
        if (const RunPointer run = look_.run(id)) return {run->name, run->job};
        if (!id.starts_with(kStartPreset)) return {};
        const std::string name = id.substr(kStartPreset.size());
        try {
            return {"preset " + name,
                    std::make_shared<Job>(parse_job({{"model", {{"preset", name}}}}, ""))};
        } catch (const UserError& error) {
            commands_->say(QString::fromStdString(error.what()));
            return {};
        }
    }

    void start_from(const std::string& id) {
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

    static std::vector<ProbeableRun> probed(const RunPointer& run) {
        return {{run->id, run->name, run->group, run->folder.string(), run->color, run->shade,
                 !run->checkpoints.empty()}};
    }

    /// The newest file that says what reading elsewhere costs a run; nothing where none does.
    using LossFile = std::pair<std::filesystem::path, std::filesystem::file_time_type>;
    struct LossQuestion {
        std::vector<ProbeableRun> run;  ///< one
        LossFile shown;                 ///< what need not be read again
    };
    struct LossAnswer {
        std::string run;  ///< its id
        LossFile file;
        std::shared_ptr<const RewireMap> map;  ///< null: as shown, none, or a problem
        std::string problem;
    };

    /// On the reader's thread: it looks through a folder and may read a large file.
    static LossAnswer read_losses(const LossQuestion& question) {
        LossAnswer answer{question.run.front().id, {}, nullptr, ""};
        try {
            const FoundProbes found = find_newest_probes(question.run, "rewire");
            if (found.sources.empty()) return answer;
            const std::filesystem::path file = found.sources.front().file;
            std::error_code ignored;
            answer.file = {file, std::filesystem::last_write_time(file, ignored)};
            if (answer.file != question.shown)
                answer.map = std::make_shared<const RewireMap>(read_rewire_map(file));
        } catch (const std::exception& error) {
            answer.problem = error.what();
        }
        return answer;
    }

    /// What reading elsewhere costs the trained run, if that was measured.
    void show_losses() {
        const RunPointer run = started_run();
        if (!run || run->checkpoints.empty()) {
            shown_losses_ = {};
            return editor_->set_rewire(
                nullptr, "Start from a trained run to see what each source costs it.", false);
        }
        if (losses_of_ != run->id) {
            losses_of_ = run->id;
            shown_losses_ = {};
            editor_->set_rewire(nullptr, "", false);
        }
        reader_.request({probed(run), shown_losses_});
    }

    void take_losses(const LossAnswer& answer) {
        const RunPointer run = started_run();
        if (!run || run->id != answer.run || run->checkpoints.empty()) return;
        if (!answer.problem.empty()) {
            shown_losses_ = {};
            return editor_->set_rewire(nullptr, answer.problem, true);
        }
        if (answer.file.first.empty()) {
            shown_losses_ = {};
            const bool waits = probes_->waiting() > 0;
            return editor_->set_rewire(
                nullptr,
                waits ? "Being measured …"
                : probes_->problem().empty()
                    ? "What each source costs " + run->name + " was not measured yet."
                    : probes_->problem(),
                !waits);
        }
        if (!answer.map) return;  // it is shown
        shown_losses_ = answer.file;
        editor_->set_rewire(
            answer.map,
            fmt::format("{}, step {}: while a head is dragged, or asks where from (Return), "
                        "places are coloured by the nats that the loss rises when it alone "
                        "reads there; a click takes one.",
                        run->name, answer.map->step),
            false);
    }

    void ask_memory() {
        const Job& job = editor_->editor().job();
        if (job.model.vocab_size > 0) probe_.want_memory({{dump_text(to_json(job)), job}});
        show_memory();
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
                                            format_bytes(facts->second.ledger.total),
                                            job.train.batch_size, job.train.seq_len));
    }

    RunCommands* commands_;
    ProbeQueue* probes_;
    WiringEditorPanel* editor_;
    WiringTrialRunner trial_;
    LaunchProbe probe_;
    StudyLook look_;
    QString folder_;         ///< of the study
    std::string losses_of_;  ///< the run whose losses are shown or asked for
    LossFile shown_losses_;
    std::shared_ptr<const Job> followed_;
    std::vector<std::pair<std::string, std::string>> starts_;
    LatestTask<LossQuestion, LossAnswer> reader_;  ///< last: it ends before the rest goes
};

}  // namespace

Panel* make_draw_wiring_page(const StudioServices& services) {
    return new DrawWiringPage(services);
}

}  // namespace headroom
