#include "panels/inspector/tile_store.h"

#include <algorithm>

#include "panels/inspector/tile_colors.h"

namespace headroom {

/// Statistics of one head take 100 bytes a token, tiles the rest.
TileStore::TileStore(size_t byte_limit, const std::function<void()>& arrived)
    : tiles_(byte_limit - byte_limit / 8, arrived), statistics_(byte_limit / 8, arrived) {}

void TileStore::begin_frame() {
    tile_wishes_.clear();
    statistics_wishes_.clear();
    complete_ = sharp_ = true;
}

TileStore::TilePointer TileStore::tile(const MapSourcePointer& source, const TileKey& key,
                                       Urgency urgency) {
    TilePointer found = tiles_.find(key);
    if (found) return found;
    complete_ = false;
    if (urgency != Urgency::kThumbnail) sharp_ = false;
    tile_wishes_.push_back({urgency, {key, [source, key] { return load_tile(*source, key); }}});
    return nullptr;
}

TileStore::StatisticsPointer TileStore::statistics(const MapSourcePointer& source, MapPlane plane) {
    plane.value = CellValue::kMean;  // they are of entries, not of cells
    StatisticsPointer found = statistics_.find({source->serial(), plane});
    if (found) return found;
    complete_ = sharp_ = false;
    statistics_wishes_.push_back(
        {{source->serial(), plane}, [source, plane] { return measure_head(*source, plane); }});
    return nullptr;
}

void TileStore::end_frame() {
    std::stable_sort(tile_wishes_.begin(), tile_wishes_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Tiles::LoadRequest> wishes;
    for (auto& [urgency, wish] : tile_wishes_) wishes.push_back(std::move(wish));
    tile_wishes_.clear();
    tiles_.want(std::move(wishes));
    statistics_.want(std::move(statistics_wishes_));
    statistics_wishes_.clear();
}

const ColorScale& TileStore::own_scale(const TileKey& key, const MapTile& tile, const MapInfo& info,
                                       const ColorChoice& choice) {
    constexpr size_t kMost = 1 << 14;  // of some ten bytes each
    if (own_choice_ != choice || own_scales_.size() > kMost) own_scales_.clear();
    own_choice_ = choice;
    const auto at = own_scales_.find(key);
    if (at != own_scales_.end()) return at->second;
    return own_scales_[key] = make_color_scale(choice, visible_values(tile, info));
}

void TileStore::clear() {
    own_scales_.clear();
    tiles_.clear();
    statistics_.clear();
}

}  // namespace headroom
