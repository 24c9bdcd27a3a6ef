#include "panels/wiring/wiring_view.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/account/kv_cache.h"

namespace headroom {

WiringCosts wiring_costs(const ModelConfig& model, DType cache_dtype) {
    const int64_t columns = model.d_model * model.d_head;
    std::vector<int64_t> keys, values;
    for (int64_t l = 0; l < model.n_layer; ++l) {
        keys.push_back(model.key.at(l) == Projection::kLinear ? columns : 0);
        values.push_back(model.value.at(l) == ValueMap::kLinear ? columns : 0);
    }
    return {.cache_bytes_per_head = model.d_head * static_cast<int64_t>(size_of(cache_dtype)),
            .params_per_key_head = PerLayer<int64_t>::of(std::move(keys)),
            .params_per_value_head = PerLayer<int64_t>::of(std::move(values))};
}

/// Over all heads that their layers do not project.
static int64_t saved_parameters(const std::vector<int>& own_heads, int n_layer, int n_kv_head,
                                const PerLayer<int64_t>& per_head) {
    int64_t saved = 0;
    for (int l = 0; l < n_layer && l < std::ssize(own_heads); ++l)
        saved += int64_t{n_kv_head - own_heads[l]} * per_head.at(l);
    return saved;
}

HeadRange query_heads(int kv_head, int n_head, int n_kv_head) {
    if (n_kv_head <= 0 || n_head < n_kv_head) return {kv_head, kv_head};
    // Query head h reads floor(h * n_kv_head / n_head): the smallest such h, and the next one's
    // - 1.
    const auto first_reader = [&](int g) { return (g * n_head + n_kv_head - 1) / n_kv_head; };
    return {first_reader(kv_head), first_reader(kv_head + 1) - 1};
}

static HeadRole role_of(const HeadSources& sources, int layer, int head) {
    if (sources.empty()) return HeadRole::kNone;
    const auto is_own = [&](const HeadSource& s) { return s.layer == layer && s.head == head; };
    const auto own = std::count_if(sources.begin(), sources.end(), is_own);
    if (own == 0) return HeadRole::kReused;
    return sources.size() == 1 ? HeadRole::kOwn : HeadRole::kMixed;
}

/// A layer that projects fewer heads than it has numbers them 0, 1, …, whichever columns read them
/// (odd-even injection puts its second own head into column 2). The picture shows each in the first
/// column that reads it, alone if there is such a column. Returns [layer][projected head] ->
/// column.
static std::vector<std::vector<int>> columns_of_projections(
    const std::vector<std::vector<HeadSources>>& table, const std::vector<int>& own_heads) {
    std::vector<std::vector<int>> columns;
    for (int l = 0; l < std::ssize(own_heads); ++l) {
        std::vector<int>& row = columns.emplace_back();
        for (int j = 0; j < own_heads[l]; ++j) {
            int shared = -1;
            int alone = -1;
            for (int g = 0; l < std::ssize(table) && g < std::ssize(table[l]); ++g) {
                for (const HeadSource& source : table[l][g]) {
                    if (source.layer != l || source.head != j) continue;
                    if (shared < 0) shared = g;
                    if (alone < 0 && table[l][g].size() == 1) alone = g;
                }
            }
            row.push_back(alone >= 0 ? alone : shared >= 0 ? shared : j);
        }
    }
    return columns;
}

/// The sources of one head with projected heads named by their columns; what points outside the
/// table is dropped.
static HeadSources placed(const HeadSources& sources, int layer, int n_kv_head,
                          const std::vector<std::vector<int>>& columns) {
    HeadSources result;
    for (HeadSource source : sources) {
        if (source.layer < 0 || source.layer > layer || source.head < 0) continue;
        if (source.layer >= std::ssize(columns)) continue;
        if (source.head >= std::ssize(columns[source.layer])) continue;
        source.head = columns[source.layer][source.head];
        if (source.head < n_kv_head) result.push_back(source);
    }
    return result;
}

static WiringLane build_lane(KvTable which, const std::vector<std::vector<HeadSources>>& table,
                             const std::vector<int>& own_heads, int n_layer, int n_kv_head) {
    WiringLane lane;
    lane.table = which;
    lane.cells.assign(static_cast<size_t>(n_layer),
                      std::vector<WiringCell>(static_cast<size_t>(n_kv_head)));
    const auto columns = columns_of_projections(table, own_heads);
    for (int l = 0; l < n_layer && l < std::ssize(columns); ++l) {
        for (const int column : columns[l])
            if (column < n_kv_head) lane.cells[l][column].projected = true;
        lane.projected_heads += own_heads[l];
    }
    std::map<std::tuple<int, int, int>, std::vector<int>> buses;
    for (int l = 0; l < n_layer && l < std::ssize(table); ++l) {
        for (int g = 0; g < n_kv_head && g < std::ssize(table[l]); ++g) {
            WiringCell& cell = lane.cells[l][g];
            cell.sources = placed(table[l][g], l, n_kv_head, columns);
            cell.role = role_of(cell.sources, l, g);
            lane.reused_heads += cell.role == HeadRole::kReused;
            lane.mixed_heads += cell.role == HeadRole::kMixed;
            for (const HeadSource& source : cell.sources) {
                if (source.layer == l && source.head == g) continue;
                lane.cells[source.layer][source.head].readers.push_back({l, g});
                buses[{source.layer, source.head, g}].push_back(l);
            }
        }
    }
    for (auto& [key, readers] : buses) {
        const auto [layer, head, column] = key;
        lane.buses.push_back({{layer, head}, column, std::move(readers)});
    }
    return lane;
}

WiringView build_wiring_view(const Wiring& wiring, const WiringCosts& costs, std::string title) {
    WiringView view;
    view.title = std::move(title);
    view.n_layer = std::max(wiring.n_layer, 0);
    view.n_head = std::max(wiring.n_head, 0);
    view.n_kv_head = std::max(wiring.n_kv_head, 0);
    view.costs = costs;
    view.keys =
        build_lane(KvTable::kKeys, wiring.keys, wiring.own_key_heads, view.n_layer, view.n_kv_head);
    view.values = build_lane(KvTable::kValues, wiring.values, wiring.own_value_heads, view.n_layer,
                             view.n_kv_head);
    const int64_t all = int64_t{view.n_layer} * view.n_kv_head;
    const int64_t cached = int64_t{view.keys.projected_heads} + view.values.projected_heads;
    view.cache_bytes_per_token = cached * costs.cache_bytes_per_head;
    view.cache_bytes_saved = (2 * all - cached) * costs.cache_bytes_per_head;
    view.params_saved = saved_parameters(wiring.own_key_heads, view.n_layer, view.n_kv_head,
                                         costs.params_per_key_head) +
                        saved_parameters(wiring.own_value_heads, view.n_layer, view.n_kv_head,
                                         costs.params_per_value_head);
    return view;
}

WiringView build_wiring_view(const ModelConfig& model, DType cache_dtype, std::string title) {
    WiringCosts costs = wiring_costs(model, cache_dtype);
    const bool kept_by_head = model.causal && !model.mla;
    if (!kept_by_head) costs.cache_bytes_per_head = 0;
    WiringView view = build_wiring_view(model.wiring, costs, std::move(title));
    view.cache_dtype = name_of(cache_dtype);
    if (kept_by_head || !model.causal) return view;
    const CacheCount count = count_cache(model);
    view.cache_bytes_per_token = count.bytes_per_token(cache_dtype);
    const auto width = static_cast<int64_t>(size_of(cache_dtype));
    view.cache_bytes_saved = (count.unshared_numbers_per_token - count.numbers_per_token) * width;
    const std::vector<LatentUse> uses = latent_uses(model.wiring);
    for (size_t layer = 0; layer < uses.size(); ++layer)
        view.latents.push_back(
            {count.layers[layer].latent * width, uses[layer].shared, uses[layer].source});
    return view;
}

}  // namespace headroom
