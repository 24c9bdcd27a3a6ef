#include "panels/architecture/layer_rows.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"

namespace headroom {
namespace {

constexpr int kLongestPattern = 8;

/// The readers of every layer's keys, values or latent.
std::vector<std::vector<int>> readers_of_layers(const ArchitectureView& view) {
    std::vector<std::vector<int>> readers(view.layers.size());
    for (int l = 0; l < std::ssize(view.layers); ++l) {
        const LayerFacts& facts = view.layers[l];
        for (const LaneFacts* lane : {&facts.keys, &facts.values})
            for (const LayerShare& share : lane->shares) readers[share.layer].push_back(l);
        if (facts.latent && facts.latent->source >= 0) readers[facts.latent->source].push_back(l);
    }
    return readers;
}

bool same_lane(const LaneFacts& a, LaneFacts b, int distance) {
    if (a == b) return true;
    for (LayerShare& share : b.shares) share.layer -= distance;
    return a == b;
}

/// Whether layer `l + distance` looks as `l` does, itself and to those who read it.
bool repeats(const ArchitectureView& view, const std::vector<std::vector<int>>& readers, int l,
             int distance) {
    const LayerFacts &a = view.layers[l], &b = view.layers[l + distance];
    if (a.latent != b.latent || a.averaged.empty() != b.averaged.empty()) return false;
    if (a.changed != b.changed) return false;
    std::vector<int> moved = readers[l + distance];
    for (int& reader : moved) reader -= distance;
    return same_lane(a.keys, b.keys, distance) && same_lane(a.values, b.values, distance) &&
           (readers[l] == moved || readers[l] == readers[l + distance]);
}

struct LayerRun {
    int period = 1;
    int length = 1;  ///< in layers, a multiple of the period
};

/// The longest repetition that starts at `first`.
LayerRun longest_run(const ArchitectureView& view, const std::vector<std::vector<int>>& readers,
                     int first) {
    const int count = static_cast<int>(view.layers.size());
    LayerRun best;
    for (int period = 1; period <= kLongestPattern; ++period) {
        int end = first + period;
        while (end < count && repeats(view, readers, end - period, period)) ++end;
        const int length = (end - first) / period * period;
        const bool worth = length >= 4 * period;
        if (worth && length > best.length) best = {period, length};
    }
    return best;
}

std::vector<int> numbers(int first, int count) {
    std::vector<int> layers(static_cast<size_t>(count));
    std::iota(layers.begin(), layers.end(), first);
    return layers;
}

}  // namespace

std::vector<LayerRow> layer_rows(const ArchitectureView& view, int most_rows) {
    const int count = static_cast<int>(view.layers.size());
    if (view.model.share_layers && count > 0) return {{numbers(0, count)}};
    std::vector<LayerRow> rows;
    const auto readers = readers_of_layers(view);
    for (int layer = 0; layer < count;) {
        const LayerRun run = count > most_rows ? longest_run(view, readers, layer) : LayerRun{};
        const int shown = run.length > 1 ? run.period : 1;
        for (int i = 0; i < shown; ++i) rows.push_back({{layer + i}});
        if (run.length > 1) {
            const int hidden = run.length - 2 * run.period;
            rows.push_back({numbers(layer + run.period, hidden), true});
            for (int i = run.length - run.period; i < run.length; ++i)
                rows.push_back({{layer + i}});
        }
        layer += std::max(run.length, 1);
    }
    return rows;
}

int row_of(const std::vector<LayerRow>& rows, int layer) {
    for (int i = 0; i < std::ssize(rows); ++i)
        if (std::find(rows[i].layers.begin(), rows[i].layers.end(), layer) != rows[i].layers.end())
            return i;
    CHECK(false, "every layer stands in a row");
}

}  // namespace headroom
