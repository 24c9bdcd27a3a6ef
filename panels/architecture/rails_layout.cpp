#include <algorithm>
#include <map>
#include <set>

#include "panels/architecture/column_layout.h"

namespace headroom {
namespace {

using Routes = std::map<std::pair<Ink, int>, std::set<int>>;

void add_lane(Routes& routes, Ink ink, const LaneFacts& facts, int row,
              const std::vector<LayerRow>& rows) {
    for (const LayerShare& share : facts.shares) {
        const int source = row_of(rows, share.layer);
        if (source != row) routes[{ink, source}].insert(row);
    }
}

/// Values run right of the column, keys and latents left of it.
bool runs_right(Ink ink) {
    return ink == Ink::kValues;
}

}  // namespace

std::vector<Rail> find_rails(const ArchitectureView& view, const std::vector<LayerRow>& rows) {
    Routes routes;
    for (int l = 0; l < std::ssize(view.layers); ++l) {
        const LayerFacts& facts = view.layers[l];
        const int row = row_of(rows, l);
        add_lane(routes, Ink::kKeys, facts.keys, row, rows);
        add_lane(routes, Ink::kValues, facts.values, row, rows);
        if (!facts.latent || facts.latent->source < 0) continue;
        const int source = row_of(rows, facts.latent->source);
        if (source != row) routes[{Ink::kLatent, source}].insert(row);
    }
    std::vector<Rail> rails;
    for (const auto& [route, readers] : routes)
        rails.push_back({route.first, route.second, {readers.begin(), readers.end()}});
    const auto length = [](const Rail& rail) { return rail.readers.back() - rail.source; };
    std::stable_sort(rails.begin(), rails.end(),
                     [&](const Rail& a, const Rail& b) { return length(a) < length(b); });
    for (size_t i = 0; i < rails.size(); ++i) {
        std::set<int> taken;
        for (size_t j = 0; j < i; ++j)
            if (runs_right(rails[j].ink) == runs_right(rails[i].ink) &&
                rails[j].source < rails[i].readers.back() &&
                rails[i].source < rails[j].readers.back())
                taken.insert(rails[j].lane);
        while (taken.contains(rails[i].lane)) ++rails[i].lane;
    }
    return rails;
}

}  // namespace headroom
