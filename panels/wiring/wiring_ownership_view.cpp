#include "panels/wiring/wiring_ownership_view.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "panels/base/number_format.h"
#include "panels/base/numbering.h"

namespace headroom {
namespace {

/// Layers that other layers read, with what they keep for them.
std::vector<WiringOwner> owners_of(const WiringView& view) {
    std::vector<WiringOwner> owners;
    for (int layer = 0; layer < view.n_layer; ++layer) {
        WiringOwner owner{layer, static_cast<int>(owners.size()), 0, 0};
        std::set<int> readers;
        for (const WiringLane* lane : {&view.keys, &view.values})
            for (const WiringCell& cell : lane->cells[static_cast<size_t>(layer)]) {
                bool read = false;
                for (const HeadId& reader : cell.readers)
                    if (reader.layer != layer) {
                        readers.insert(reader.layer);
                        read = true;
                    }
                if (read) owner.bytes_per_token += view.costs.cache_bytes_per_head;
            }
        owner.readers = static_cast<int>(readers.size());
        if (owner.readers > 0) owners.push_back(owner);
    }
    return owners;
}

int hue_of(const std::vector<WiringOwner>& owners, int layer) {
    for (const WiringOwner& owner : owners)
        if (owner.layer == layer) return owner.hue;
    return kOwnHue;
}

HeadOwnership ownership_of(const WiringCell& cell, int layer,
                           const std::vector<WiringOwner>& owners) {
    HeadOwnership head;
    head.keeps = cell.projected;
    head.reads_nothing = cell.sources.empty();
    head.sums = cell.sources.size() > 1;
    const bool read_by_others =
        std::any_of(cell.readers.begin(), cell.readers.end(),
                    [&](const HeadId& reader) { return reader.layer != layer; });
    if (cell.projected) {
        if (read_by_others) head.hue = hue_of(owners, layer);
    } else if (!cell.sources.empty()) {
        head.hue = hue_of(owners, cell.sources.front().layer);
    }
    for (const HeadSource& source : cell.sources)
        if (source.layer != layer && hue_of(owners, source.layer) != head.hue)
            head.second = hue_of(owners, source.layer);
    return head;
}

std::vector<std::vector<HeadOwnership>> lane_ownership(const WiringLane& lane,
                                                       const std::vector<WiringOwner>& owners) {
    std::vector<std::vector<HeadOwnership>> heads;
    for (size_t layer = 0; layer < lane.cells.size(); ++layer) {
        heads.emplace_back();
        for (const WiringCell& cell : lane.cells[layer])
            heads.back().push_back(ownership_of(cell, static_cast<int>(layer), owners));
    }
    return heads;
}

}  // namespace

std::vector<OwnerSample> owner_legend(const WiringOwnership& ownership) {
    std::vector<OwnerSample> samples{{{.keeps = true}, "kept for its own layer"}};
    if (ownership.owners.empty()) return samples;
    const int hue = ownership.owners.front().hue;
    samples.push_back({{.keeps = true, .hue = hue}, "kept and read by others"});
    samples.push_back({{.hue = hue}, "costs nothing, in its owner's colour"});
    return samples;
}

WiringOwnership build_ownership(const WiringView& view) {
    WiringOwnership ownership;
    ownership.owners = owners_of(view);
    ownership.keys = lane_ownership(view.keys, ownership.owners);
    ownership.values = lane_ownership(view.values, ownership.owners);
    return ownership;
}

std::string describe_owners(const WiringOwnership& ownership) {
    if (ownership.owners.empty()) return "No layer reads another layer's cache.";
    constexpr size_t kMost = 3;
    std::string text;
    for (size_t i = 0; i < ownership.owners.size() && i < kMost; ++i) {
        const WiringOwner& owner = ownership.owners[i];
        text += fmt::format("{}layer {} keeps {} per token that {} other layer{} read{}",
                            text.empty() ? "" : " · ", shown_number(owner.layer),
                            format_bytes(owner.bytes_per_token), owner.readers,
                            owner.readers == 1 ? "" : "s", owner.readers == 1 ? "s" : "");
    }
    if (ownership.owners.size() > kMost)
        text += fmt::format(" · and {} more owners", ownership.owners.size() - kMost);
    text[0] = 'L';
    return text;
}

}  // namespace headroom
