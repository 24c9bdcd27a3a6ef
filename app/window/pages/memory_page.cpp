#include <QPushButton>
#include <algorithm>

#include "app/window/pages/page_layout.h"
#include "app/window/panels.h"
#include "app/window/services/measure_runner.h"
#include "panels/figure/figure_chart.h"
#include "panels/memory/memory_panel.h"
#include "panels/qt/panel.h"

namespace headroom {
namespace {

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

    void relabel() override { panel_->set_runs({}); }
    /// Of equal models, such as several seeds, the first.
    void set_study(const StudyLook& look) override {
        if (!look.is_open()) runner_->stop();
        std::vector<MemoryRun> shown;
        ids_.clear();
        for (const RunPointer& run : look.shown_runs())
            if (run->job && std::none_of(shown.begin(), shown.end(), [&](const MemoryRun& other) {
                    return other.job->model == run->job->model;
                })) {
                shown.push_back({run->name, run->job});
                ids_.push_back(run->id);
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
