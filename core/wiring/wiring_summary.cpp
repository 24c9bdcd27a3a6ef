#include "core/wiring/wiring_summary.h"

#include <string>

#include "core/base/error.h"

namespace headroom {
namespace {

TableSummary summarize_table(const std::vector<std::vector<HeadSources>>& table,
                             const std::vector<int>& own_heads, int n_kv_head) {
    CHECK(own_heads.size() == table.size(), "one count of own heads per layer");
    TableSummary summary;
    summary.baseline_heads = static_cast<int64_t>(table.size()) * n_kv_head;
    for (const int own : own_heads) {
        summary.readers_of.emplace_back(static_cast<size_t>(own));
        summary.stored_heads += own;
    }
    for (int layer = 0; layer < static_cast<int>(table.size()); ++layer) {
        summary.uses.emplace_back();
        for (int head = 0; head < static_cast<int>(table[layer].size()); ++head) {
            HeadUse use;
            use.sources = table[layer][head];
            for (const HeadSource& s : use.sources) {
                auto& readers = summary.readers_of.at(s.layer).at(s.head);
                // Layers are visited in order, so a layer's own first reader comes first.
                if (s.layer == layer && readers.empty()) ++use.stored_heads;
                readers.push_back({layer, head});
            }
            summary.uses.back().push_back(std::move(use));
        }
    }
    return summary;
}

/// Gives every storing head the readers of the projected heads that it stores.
void fill_readers(TableSummary& summary) {
    for (const auto& layer : summary.readers_of)
        for (const auto& readers : layer) {
            if (readers.empty()) continue;
            const HeadId first = readers.front();
            auto& of_first = summary.uses[first.layer][first.head].readers;
            of_first.insert(of_first.end(), readers.begin(), readers.end());
        }
}

}  // namespace

WiringSummary summarize(const Wiring& wiring) {
    WiringSummary summary;
    summary.keys = summarize_table(wiring.keys, wiring.own_key_heads, wiring.n_kv_head);
    summary.values = summarize_table(wiring.values, wiring.own_value_heads, wiring.n_kv_head);
    fill_readers(summary.keys);
    fill_readers(summary.values);
    return summary;
}

const HeadSource* single_source(const HeadSources& sources) {
    const bool single = sources.size() == 1 && sources[0].weight == 1.0 &&
                        sources[0].learned == SourceWeight::kFixed;
    return single ? &sources[0] : nullptr;
}

}  // namespace headroom
