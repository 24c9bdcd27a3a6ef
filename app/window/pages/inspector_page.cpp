#include <QSettings>
#include <algorithm>

#include <fmt/format.h>

#include "app/figure/range_argument.h"
#include "app/window/pages/page_layout.h"
#include "app/window/panels.h"
#include "app/window/services/inspector_presenter.h"
#include "panels/inspector/inspector_panel.h"
#include "panels/inspector/inspector_settings_store.h"
#include "panels/qt/panel.h"
#include "panels/qt/rest_line.h"

namespace headroom {
namespace {

class InspectorPage : public Panel {
  public:
    explicit InspectorPage(const PageInfo& info)
        : Panel(info),
          panel_(new InspectorPanel),
          presenter_(new InspectorPresenter(panel_, this)),
          rest_(new RestLine) {
        fill_page(this, panel_);
        layout()->addWidget(rest_);
        connect(panel_, &InspectorPanel::settings_changed, this, [this] {
            emit settings_changed();
            show();
        });
        connect(panel_, &InspectorPanel::export_asked, this, &Panel::export_asked);
        connect(presenter_, &InspectorPresenter::reference_asked, this, &Panel::reference_asked);
        connect(presenter_, &InspectorPresenter::shown, this, &Panel::picture_changed);
    }

    void set_theme(const Theme& theme) override { panel_->set_theme(theme); }
    QWidget* options() override { return panel_->controls(); }
    QWidget* focus_target() override { return panel_->canvas(); }

    void set_study(const StudyLook& look) override {
        look_ = look;
        show();
    }

    void relabel() override { panel_->set_view(panel_->view()); }
    void act() override { presenter_->probe_missing(); }
    bool has_picture() const override { return panel_->view().info() != nullptr; }
    FigurePage picture() const override { return panel_->page(); }
    std::optional<StudyFigure> recipe() const override {
        const HeadId head = panel_->place().head;
        const InspectorSettings settings = panel_->settings();
        StudyFigure figure{"attention", "attention", {}, {}};
        const std::vector<InspectorPane>& panes = panel_->view().panes;
        for (size_t i = 0; i < std::min(runs_.size(), panes.size()); ++i)
            if (!panes[i].source || has_head(panes[i], head)) figure.runs.push_back(runs_[i]->id);
        // A text that was typed here is in no file of the study.
        if (figure.runs.empty() || !presenter_->text().empty()) return std::nullopt;
        figure.options["layer"] = std::to_string(head.layer);
        figure.options["head"] = std::to_string(head.head);
        if (presenter_->step() >= 0) figure.options["step"] = std::to_string(presenter_->step());
        const bool logits = settings.signal == MapSignal::kLogits;
        const bool difference =
            settings.compare == CompareMode::kDifference && figure.runs.size() > 1;
        const ColorChoice colors = color_choice(settings, logits || difference);
        figure.options["colors"] = color_map_name(colors.map);
        figure.options["range"] = color_range_text(colors);
        figure.options["scale"] = name_of(colors.scale);
        if (const auto query = panel_->shown_query()) {
            figure.options["query"] = query_text(*query);
            if (have_pictures(panel_->view(), settings)) {
                figure.options["picture"] = "true";
                figure.options["heat"] = fmt::format("{:g}", settings.heat);
            }
        }
        if (settings.value == CellValue::kMax) figure.options["cells"] = "max";
        if (logits) figure.options["logits"] = "true";
        if (difference) figure.options["difference"] = "true";
        return figure;
    }
    QString picture_name() const override {
        const HeadId head = panel_->place().head;
        return QString("attention-layer-%1-head-%2").arg(head.layer).arg(head.head);
    }
    void save(QSettings& store) const override {
        write_inspector_settings(store, panel_->settings());
    }
    void restore(QSettings& store) override {
        panel_->set_settings(read_inspector_settings(store));
    }

  private:
    void show() {
        std::vector<RunPointer> runs = look_.compared_runs();
        const bool alone = panel_->settings().compare == CompareMode::kOne;
        if (alone && look_.focused()) runs = {look_.focused()};
        runs_ = runs;
        presenter_->set_runs(runs);
        const size_t most = most_runs(panel_->settings().compare);
        rest_->set_shown(std::min(runs.size(), most), runs.size());
    }

    InspectorPanel* panel_;
    InspectorPresenter* presenter_;
    RestLine* rest_;
    StudyLook look_;
    std::vector<RunPointer> runs_;  ///< that are shown
};

}  // namespace

Page inspector_page() {
    return {
        {"inspector", Panel::tr("Maps"),
         Panel::tr("What each head attends to: a row is a query, a column the key that it reads. "
                   "Several runs stand beside each other on one scale; a difference is the run "
                   "minus the reference, and red is more. A point at a thumbnail previews a head, "
                   "a click keeps it; arrows step through heads and layers. Of images the heat "
                   "says what one query attends to, over the picture that was probed: the class "
                   "token's, or that of the patch that you click; Heat in the options says how "
                   "much of the picture it covers."),
         /*opens_options=*/false},
        make_panel<InspectorPage>};
}

}  // namespace headroom
