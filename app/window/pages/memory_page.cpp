#include <QPushButton>
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/window/pages/page_layout.h"
#include "app/window/panels.h"
#include "app/window/services/measure_runner.h"
#include "panels/figure/figure_chart.h"
#include "panels/memory/memory_panel.h"
#include "panels/qt/panel.h"

namespace headroom {
namespace {

/// Whether two jobs hold the same bytes, in training and in inference.
bool hold_the_same(const Job& a, const Job& b) {
    return a.model == b.model && a.precision == b.precision &&
           a.train.batch_size == b.train.batch_size && a.train.seq_len == b.train.seq_len &&
           a.train.grad_accum == b.train.grad_accum;
}

/// Such as the seeds of one variant, in the order of their first.
std::vector<std::vector<RunPointer>> runs_of_equal_bytes(const std::vector<RunPointer>& runs) {
    std::vector<std::vector<RunPointer>> result;
    for (const RunPointer& run : runs) {
        if (!run->job) continue;
        const auto same = std::find_if(result.begin(), result.end(), [&](const auto& known) {
            return hold_the_same(*known.front()->job, *run->job);
        });
        if (same == result.end())
            result.push_back({run});
        else
            same->push_back(run);
    }
    return result;
}

std::string common_name(const std::vector<RunPointer>& runs) {
    const Run& first = *runs.front();
    if (runs.size() == 1) return first.name;
    std::vector<std::string> groups;  // the names of variants: more of them would fill the picture
    for (const RunPointer& run : runs)
        if (std::find(groups.begin(), groups.end(), run->group) == groups.end())
            groups.push_back(run->group);
    constexpr size_t kMost = 3;
    if (groups.size() <= kMost) return fmt::format("{}", fmt::join(groups, ", "));
    return fmt::format("{}, {} and {} more", groups[0], groups[1], groups.size() - 2);
}

class MemoryPage : public Panel {
  public:
    MemoryPage(const PageInfo& info, const StudioServices& services)
        : Panel(info),
          panel_(new MemoryPanel),
          runner_(new MeasureRunner(panel_, services.program, this)) {
        fill_page(this, panel_);
        connect(panel_, &MemoryPanel::export_asked, this, &Panel::export_asked);
    }

    void set_theme(const Theme& theme) override { panel_->set_theme(theme); }
    QWidget* options() override { return panel_->controls(); }
    void act() override { panel_->measure_button()->click(); }
    bool has_picture() const override { return !panel_->chart()->figure().is_empty(); }
    FigurePage picture() const override { return panel_->page(); }
    std::optional<StudyFigure> recipe() const override {
        if (ids_.empty()) return std::nullopt;
        const MemoryFigureSettings settings = panel_->settings();
        StudyFigure figure{"memory", "memory", ids_, {}};
        figure.options["plot"] = name_of(settings.plot);
        figure.options["dtype"] = name_of(settings.dtype);
        if (settings.use == MemoryUse::kTraining) figure.options["for"] = "training";
        if (settings.batch_size > 0) figure.options["batch"] = std::to_string(settings.batch_size);
        if (settings.context > 0) figure.options["context"] = std::to_string(settings.context);
        if (settings.plot == MemoryPlot::kCache || settings.plot == MemoryPlot::kBytesPerToken)
            figure.options["scale"] = settings.log_axes ? "log" : "linear";
        return figure;
    }

    void relabel() override { panel_->relabel(); }
    void set_study(const StudyLook& look) override {
        if (!look.is_open()) runner_->stop();
        std::vector<MemoryRun> shown;
        ids_.clear();
        for (const std::vector<RunPointer>& alike : runs_of_equal_bytes(look.shown_runs())) {
            shown.push_back({common_name(alike), alike.front()->job, alike.front()->color});
            ids_.push_back(alike.front()->id);
        }
        panel_->set_runs(shown);
        emit picture_changed();
    }

  private:
    MemoryPanel* panel_;
    MeasureRunner* runner_;
    std::vector<std::string> ids_;  ///< of the models that are shown
};

}  // namespace

Page memory_page() {
    return {
        {"memory", Panel::tr("Memory"),
         Panel::tr("Where the bytes of the shown models go, as the plan of buffers counts them: "
                   "weights, cache, activations and, in training, gradients and optimizer state. "
                   "*Measure* lets a worker allocate them and tells what it held.")},
        make_panel<MemoryPage>};
}

}  // namespace headroom
