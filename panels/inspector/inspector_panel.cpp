#include "panels/inspector/inspector_panel.h"

#include <QVBoxLayout>
#include <algorithm>

#include "core/base/error.h"
#include "panels/figure/heatmap_page.h"
#include "panels/inspector/attention_figure.h"

namespace headroom {

InspectorPanel::InspectorPanel(QWidget* parent)
    : QWidget(parent), controls_(new InspectorControls), canvas_(new InspectorCanvas) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(controls_);
    column->addWidget(canvas_, 1);
    connect(controls_, &InspectorControls::changed, this,
            [this](const InspectorSettings& settings) {
                // Positions and patches have nothing in common that a zoom could keep.
                if (settings.over_picture != this->settings().over_picture) fit();
                canvas_->set_settings(settings);
                controls_->set_view(view());
                emit settings_changed();
            });
    connect(controls_, &InspectorControls::head_chosen, this, [this](HeadId head) {
        InspectorPlace place = this->place();
        place.head = head;
        place.locked = true;
        canvas_->set_place(place);
    });
    connect(controls_, &InspectorControls::query_chosen, this, [this](const PictureQuery& query) {
        InspectorPlace place = this->place();
        place.query = query;
        canvas_->set_place(place);
    });
    connect(controls_, &InspectorControls::fit_asked, this, &InspectorPanel::fit);
    connect(controls_, &InspectorControls::export_asked, this, &InspectorPanel::export_asked);
    connect(controls_, &InspectorControls::step_chosen, this, &InspectorPanel::step_asked);
    connect(controls_, &InspectorControls::text_entered, this, &InspectorPanel::text_entered);
    connect(canvas_, &InspectorCanvas::acted, this, &InspectorPanel::take);
}

void InspectorPanel::set_view(InspectorView view) {
    canvas_->set_view(std::make_shared<const InspectorView>(std::move(view)));
    controls_->set_view(this->view());
    controls_->set_head(place().head);
    controls_->set_query(shown_query().value_or(place().query));
}

std::optional<PictureQuery> InspectorPanel::shown_query() const {
    if (!shows_pictures(view(), settings())) return std::nullopt;
    const MapInfo& info = *view().info();
    return has_query(info, place().query) ? place().query : default_query(info);
}

void InspectorPanel::fit() {
    InspectorPlace place = this->place();
    place.window = MapWindow{};
    canvas_->set_place(place);
}

void InspectorPanel::set_steps(const std::vector<int64_t>& steps, int64_t shown) {
    if (steps == steps_ && shown == step_) return;
    steps_ = steps;
    step_ = shown;
    controls_->set_steps(steps, shown);
}

void InspectorPanel::set_settings(const InspectorSettings& settings) {
    canvas_->set_settings(settings);
    controls_->set_settings(settings);
}

void InspectorPanel::set_place(const InspectorPlace& place) {
    canvas_->set_place(place);
    controls_->set_head(place.head);
    controls_->set_query(place.query);
}

/// What was read, unless it is long or only known as numbers.
static std::string text_note(const MapInfo& info) {
    constexpr size_t kMostBytes = 320;
    if (info.of_image()) return "";
    std::string text;
    bool words = false;
    for (size_t i = 0; i < info.tokens.size(); ++i) {
        text += info.tokens[i];
        words = words || info.tokens[i] != std::to_string(info.ids[i]);
    }
    for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) text.replace(at, 1, "↵");
    return !words || text.size() > kMostBytes ? "" : " Text: “" + text + "”.";
}

FigurePage InspectorPanel::page() const {
    AttentionFigureSettings chosen;
    chosen.head = place().head;
    chosen.colors = settings();
    chosen.colors.compare = effective_mode(view(), settings().compare);
    const bool alone = chosen.colors.compare == CompareMode::kOne;
    const std::optional<PictureQuery> query = shown_query();
    if (query) chosen.query = query_text(*query);
    std::vector<MapSourcePointer> sources;
    for (const InspectorPane& pane : view().panes)
        if (has_head(pane, chosen.head) && (!query || has_query(pane.source->info(), *query)) &&
            (sources.empty() || !alone))
            sources.push_back(pane.source);
    if (sources.empty())
        throw UserError("no attention record of this head is shown",
                        "probe a run first, or choose a head that it has");
    chosen.picture = query && have_pictures(view(), settings());
    HeatmapFigure figure = build_attention_figure(sources, chosen);
    figure.footnote += text_note(sources.front()->info());
    for (const MapSourcePointer& source : sources) {
        FigureSource from;
        from.run = source->info().title;
        figure.sources.push_back(std::move(from));
    }
    return heatmap_page(std::move(figure), false);
}

void InspectorPanel::take(const InspectorCommands& commands) {
    controls_->set_head(place().head);
    controls_->set_query(place().query);
    if (commands.step != 0) step_by(commands.step);
    if (commands.probe) emit probe_asked(static_cast<int>(*commands.probe));
    if (commands.reference) {
        // In the mode of differences the first frame shows the second run.
        const bool differences =
            effective_mode(view(), settings().compare) == CompareMode::kDifference;
        emit reference_asked(static_cast<int>(*commands.reference) + (differences ? 1 : 0));
    }
}

void InspectorPanel::step_by(int count) {
    const auto at = std::find(steps_.begin(), steps_.end(), step_);
    if (at == steps_.end()) return;
    const auto next =
        std::clamp<std::ptrdiff_t>(at - steps_.begin() + count, 0, std::ssize(steps_) - 1);
    if (steps_[static_cast<size_t>(next)] != step_)
        emit step_asked(steps_[static_cast<size_t>(next)]);
}

}  // namespace headroom
