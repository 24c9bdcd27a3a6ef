#include "panels/inspector/inspector_view.h"

#include <algorithm>

#include "panels/inspector/difference_source.h"
#include "panels/inspector/token_labels.h"

namespace headroom {

const MapInfo* InspectorView::info() const {
    for (const InspectorPane& pane : panes)
        if (pane.source) return &pane.source->info();
    return nullptr;
}

bool has_head(const InspectorPane& pane, HeadId head) {
    return pane.source &&
           HeadGrid{pane.source->info().n_layer, pane.source->info().n_head}.has(head);
}

HeadGrid head_grid(std::span<const InspectorPane* const> panes) {
    HeadGrid grid;
    for (const InspectorPane* pane : panes) {
        if (!pane->source) continue;
        grid.n_layer = std::max(grid.n_layer, pane->source->info().n_layer);
        grid.n_head = std::max(grid.n_head, pane->source->info().n_head);
    }
    return grid;
}

const InspectorPane* pane_of_atlas(std::span<const InspectorPane* const> panes) {
    const HeadGrid grid = head_grid(panes);
    const InspectorPane* first = nullptr;
    for (const InspectorPane* pane : panes) {
        if (!pane->source) continue;
        if (has_head(*pane, {grid.n_layer - 1, grid.n_head - 1})) return pane;
        if (first == nullptr) first = pane;
    }
    return first;
}

static InspectorPane difference_of(const InspectorPane& a, const InspectorPane& b) {
    InspectorPane pane;
    pane.name = b.name + " − " + a.name;
    if (!a.source || !b.source) {
        const InspectorPane& missing = a.source ? b : a;
        pane.note = missing.note;
        pane.can_probe = missing.can_probe;
        pane.busy = missing.busy;
        return pane;
    }
    pane.note = why_not_comparable(a.source->info(), b.source->info());
    if (pane.note.empty()) pane.source = std::make_shared<DifferenceSource>(a.source, b.source);
    return pane;
}

InspectorView build_inspector_view(std::vector<InspectorPane> panes) {
    InspectorView view;
    if (panes.size() > kMostPanes) panes.resize(kMostPanes);
    view.panes = std::move(panes);
    for (size_t i = 1; i < view.panes.size(); ++i)
        view.differences.push_back(difference_of(view.panes[0], view.panes[i]));
    for (const InspectorPane& pane : view.panes)
        if (pane.source)
            view.label_letters =
                std::max(view.label_letters, longest_label(pane.source->info().tokens));
    return view;
}

size_t most_runs(CompareMode mode) {
    if (mode == CompareMode::kOne) return 1;
    return mode == CompareMode::kSplit ? 2 : kMostPanes;
}

CompareMode effective_mode(const InspectorView& view, CompareMode wanted) {
    if (view.panes.size() < 2) return CompareMode::kOne;
    return wanted;
}

std::vector<const InspectorPane*> shown_panes(const InspectorView& view, CompareMode wanted) {
    const CompareMode mode = effective_mode(view, wanted);
    const auto& panes = mode == CompareMode::kDifference ? view.differences : view.panes;
    std::vector<const InspectorPane*> shown;
    for (const InspectorPane& pane : panes)
        if (shown.size() < most_runs(mode)) shown.push_back(&pane);
    return shown;
}

bool shows_pictures(const InspectorView& view, const InspectorSettings& settings) {
    bool any = false;
    for (const InspectorPane* pane : shown_panes(view, settings.compare)) {
        if (pane->source && !pane->source->info().of_image()) return false;
        any = any || pane->source;
    }
    return any && settings.over_picture;
}

bool have_pictures(const InspectorView& view, const InspectorSettings& settings) {
    const std::vector<const InspectorPane*> panes = shown_panes(view, settings.compare);
    return std::all_of(panes.begin(), panes.end(), [](const InspectorPane* pane) {
        return !pane->source || pane->source->info().picture.picture;
    });
}

ColorScale shared_scale(const InspectorSettings& settings, bool both_signs,
                        std::span<const HeadStatistics* const> statistics) {
    std::vector<double> values;
    for (const HeadStatistics* each : statistics)
        if (each) values.insert(values.end(), each->quantiles.begin(), each->quantiles.end());
    return make_color_scale(color_choice(settings, both_signs), values);
}

}  // namespace headroom
