#include "panels/wiring/wiring_layout.h"

#include <algorithm>
#include <cmath>

namespace headroom {

namespace {
constexpr float kCellLeft = 0.16f;
constexpr float kCellRight = 0.26f;  // from the column's right edge: room for its buses
constexpr float kCellTop = 0.2f;
constexpr float kBusInset = 0.05f;
constexpr float kLaneGap = 0.6f;
}  // namespace

WiringLayout::WiringLayout(const WiringView& view, bool show_keys, bool show_values, float aspect,
                           float margin)
    : view_(&view), margin_(margin) {
    if (show_keys) lanes_.push_back(KvTable::kKeys);
    if (show_values) lanes_.push_back(KvTable::kValues);
    const float lane_width = static_cast<float>(view.n_head) + margin;
    const float lane_height = static_cast<float>(view.n_layer) + margin;
    const bool both = lanes_.size() == 2;
    // The scale that fits is min(W / width, H / height): compare it for both arrangements.
    const auto scale = [aspect](float w, float h) { return std::min(aspect / w, 1.0f / h); };
    const bool side_by_side = scale(2 * lane_width + kLaneGap, lane_height) >=
                              scale(lane_width, 2 * lane_height + kLaneGap);
    for (size_t i = 0; i < lanes_.size(); ++i) {
        const float x = side_by_side ? static_cast<float>(i) * (lane_width + kLaneGap) : 0.0f;
        const float y = side_by_side ? 0.0f : static_cast<float>(i) * (lane_height + kLaneGap);
        origin_[static_cast<size_t>(lanes_[i])] = {x + margin, y + margin};
    }
    width_ = both && side_by_side ? 2 * lane_width + kLaneGap : lane_width;
    height_ = both && !side_by_side ? 2 * lane_height + kLaneGap : lane_height;
}

WiringBox WiringLayout::lane_box(KvTable lane) const {
    const WiringPoint o = origin_[static_cast<size_t>(lane)];
    return {o.x, o.y, o.x + static_cast<float>(view_->n_head),
            o.y + static_cast<float>(view_->n_layer)};
}

WiringBox WiringLayout::cell_box(KvTable lane, HeadId head) const {
    const WiringPoint o = origin_[static_cast<size_t>(lane)];
    const HeadRange columns = query_heads(head.head, view_->n_head, view_->n_kv_head);
    const float y = o.y + static_cast<float>(head.layer);
    return {o.x + static_cast<float>(columns.first) + kCellLeft, y + kCellTop,
            o.x + static_cast<float>(columns.last + 1) - kCellRight, y + 1 - kCellTop};
}

std::vector<WiringPoint> WiringLayout::edge(KvTable lane, HeadId reader, HeadId source) const {
    const WiringBox from = cell_box(lane, reader);
    const WiringBox to = cell_box(lane, source);
    const float from_y = from.centre().y;
    const float to_y = to.centre().y;
    const float from_gap = from.x1 + (kCellRight + kCellLeft) / 2 - kBusInset;
    if (reader.head == source.head)
        return {{from.x1, from_y}, {from_gap, from_y}, {from_gap, to_y}, {to.x1, to_y}};
    // Another column: along the gap below the source's row, then up beside the source.
    const float to_gap = to.x1 + (kCellRight + kCellLeft) / 2 + kBusInset;
    const float row_gap = to.y1 + kCellTop;
    return {{from.x1, from_y}, {from_gap, from_y}, {from_gap, row_gap},
            {to_gap, row_gap}, {to_gap, to_y},     {to.x1, to_y}};
}

std::optional<TableHead> WiringLayout::head_at(WiringPoint point) const {
    for (const KvTable lane : lanes_) {
        const WiringBox box = lane_box(lane);
        if (!box.contains(point) || view_->n_kv_head <= 0) continue;
        const int layer = static_cast<int>(point.y - box.y0);
        const int query = std::min(static_cast<int>(point.x - box.x0), view_->n_head - 1);
        const int head = static_cast<int>(int64_t{query} * view_->n_kv_head / view_->n_head);
        return TableHead{lane, {std::min(layer, view_->n_layer - 1), head}};
    }
    return std::nullopt;
}

}  // namespace headroom
