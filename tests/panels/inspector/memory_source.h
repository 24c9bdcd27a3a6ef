#pragma once

#include <functional>
#include <memory>
#include <stdexcept>

#include "panels/inspector/inspector_view.h"

namespace headroom {

/// Maps made by a function of layer, head, query and key. `stored`: cell sizes that it offers,
/// whose means and largest entries it computes one by one, as the definition says.
class MemorySource : public MapSource {
  public:
    using Entry = std::function<float(int layer, int head, int64_t query, int64_t key)>;

    MemorySource(MapInfo info, Entry entry, std::vector<int64_t> stored = {1})
        : info_(std::move(info)), entry_(std::move(entry)), stored_(std::move(stored)) {}

    const MapInfo& info() const override { return info_; }
    std::vector<int64_t> factors(const MapPlane& plane) const override {
        return plane.signal == MapSignal::kLogits ? std::vector<int64_t>{1} : stored_;
    }
    void read(const MapPlane& plane, int64_t factor, const CellBox& box,
              std::span<float> out) const override {
        if (broken) throw std::runtime_error("the disk is on fire");
        for (int64_t r = 0; r < box.rows; ++r)
            for (int64_t c = 0; c < box.columns; ++c)
                out[static_cast<size_t>(r * box.columns + c)] =
                    cell(plane, factor, box.row + r, box.column + c);
    }
    /// The cell by its definition; 7 where all of it is masked, which nobody may use.
    float cell(const MapPlane& plane, int64_t factor, int64_t row, int64_t column) const {
        double sum = 0, most = -1e30;
        int64_t count = 0;
        for (int64_t q = row * factor; q < std::min((row + 1) * factor, info_.seq_len); ++q)
            for (int64_t k = column * factor; k < std::min((column + 1) * factor, info_.seq_len);
                 ++k) {
                if (info_.causal && k > q) continue;
                const double value = static_cast<double>(entry_(plane.layer, plane.head, q, k));
                sum += value;
                most = std::max(most, value);
                ++count;
            }
        if (count == 0) return 7;
        return static_cast<float>(
            plane.value == CellValue::kMax ? most : sum / static_cast<double>(count));
    }

    bool broken = false;

  private:
    MapInfo info_;
    Entry entry_;
    std::vector<int64_t> stored_;
};

inline MapInfo example_info(int64_t seq_len, int n_layer = 2, int n_head = 3, bool causal = true) {
    MapInfo info;
    info.title = "example";
    info.n_layer = n_layer;
    info.n_head = n_head;
    info.seq_len = seq_len;
    info.causal = causal;
    for (int64_t i = 0; i < seq_len; ++i) {
        info.ids.push_back(static_cast<int32_t>(i));
        info.tokens.push_back("t" + std::to_string(i));
    }
    return info;
}

/// Different in every entry, between 0 and 1.
inline float example_entry(int layer, int head, int64_t query, int64_t key) {
    const int64_t mixed = (query * 7919 + key * 104729 + layer * 31 + head * 17) % 1009;
    return static_cast<float>(mixed) / 1009.0f;
}

inline InspectorPane pane_of(const std::string& name, MapSourcePointer source) {
    InspectorPane pane;
    pane.name = name;
    pane.source = std::move(source);
    return pane;
}

inline std::shared_ptr<MemorySource> example_source(int64_t seq_len, bool causal = true) {
    return std::make_shared<MemorySource>(example_info(seq_len, 2, 3, causal), example_entry);
}

}  // namespace headroom
