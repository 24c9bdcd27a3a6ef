#include "panels/wiring_editor/wiring_spot.h"

#include <algorithm>
#include <cmath>

namespace headroom {

namespace {

/// The head whose row and column a point is in, or nearest.
HeadId nearest_head(const WiringBox& lane, const WiringView& view, WiringPoint point) {
    const int layer =
        std::clamp(static_cast<int>(std::floor(point.y - lane.y0)), 0, view.n_layer - 1);
    const int query =
        std::clamp(static_cast<int>(std::floor(point.x - lane.x0)), 0, view.n_head - 1);
    return {layer, static_cast<int>(int64_t{query} * view.n_kv_head / view.n_head)};
}

float distance_to(const WiringBox& box, WiringPoint point) {
    return std::max({box.x0 - point.x, point.x - box.x1, 0.0f}) +
           std::max({box.y0 - point.y, point.y - box.y1, 0.0f});
}

}  // namespace

std::optional<WiringSpot> spot_at(const WiringLayout& layout, const WiringView& view,
                                  WiringPoint point) {
    if (view.n_kv_head <= 0 || view.n_layer <= 0) return std::nullopt;
    for (const KvTable lane : layout.lanes()) {
        const WiringBox box = layout.lane_box(lane);
        const bool in_rows = point.y >= box.y0 && point.y < box.y1;
        const bool in_columns = point.x >= box.x0 && point.x < box.x1;
        const HeadId head = nearest_head(box, view, point);
        if (in_rows && in_columns)
            return WiringSpot{lane, head.layer, head.head,
                              layout.cell_box(lane, head).contains(point)};
        if (in_rows && point.x < box.x0 && point.x >= box.x0 - layout.margin())
            return WiringSpot{lane, head.layer, std::nullopt, true};
        if (in_columns && point.y < box.y0 && point.y >= box.y0 - layout.margin())
            return WiringSpot{lane, std::nullopt, head.head, true};
    }
    return std::nullopt;
}

HeadBox box_of(const WiringSpot& spot, const WiringView& view) {
    return {{spot.layer.value_or(0), spot.head.value_or(0)},
            {spot.layer.value_or(view.n_layer - 1), spot.head.value_or(view.n_kv_head - 1)}};
}

WiringLasso lasso_of(const WiringLayout& layout, const WiringView& view, WiringPoint from,
                     WiringPoint to) {
    KvTable lane = layout.lanes().front();
    for (const KvTable other : layout.lanes())
        if (distance_to(layout.lane_box(other), from) < distance_to(layout.lane_box(lane), from))
            lane = other;
    const WiringBox box = layout.lane_box(lane);
    return {lane, {nearest_head(box, view, from), nearest_head(box, view, to)}};
}

std::optional<SourcePick> pick_between(const WiringSpot& from, const WiringSpot& to) {
    if (!to.layer) return std::nullopt;
    SourcePick pick{*to.layer, to.head};
    if (from.head && from.head == to.head) pick.head.reset();
    return pick;
}

EditedTables tables_at(EditedTables tables, KvTable lane) {
    if (tables == EditedTables::kBoth) return tables;
    return lane == KvTable::kKeys ? EditedTables::kKeys : EditedTables::kValues;
}

}  // namespace headroom
