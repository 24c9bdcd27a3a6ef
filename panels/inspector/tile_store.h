#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "panels/base/colormap.h"
#include "panels/inspector/head_statistics.h"
#include "panels/inspector/loading_cache.h"
#include "panels/inspector/map_tile.h"

namespace headroom {

/// The more urgent the smaller.
enum class Urgency { kFirstLook, kCursor, kInSight, kThumbnail };

/// All that drawing asks for: tiles and statistics, which arrive when they are read. A frame
/// begins, asks, and ends; what it did not ask for again is no longer waited for. UI thread only.
class TileStore {
  public:
    using TilePointer = std::shared_ptr<const MapTile>;
    using StatisticsPointer = std::shared_ptr<const HeadStatistics>;

    /// `arrived` is called on another thread.
    TileStore(size_t byte_limit, const std::function<void()>& arrived);

    void begin_frame();
    /// nullptr: it is on its way.
    TilePointer tile(const MapSourcePointer& source, const TileKey& key, Urgency urgency);
    /// What is there, without asking for it.
    TilePointer find(const TileKey& key) { return tiles_.find(key); }
    StatisticsPointer statistics(const MapSourcePointer& source, MapPlane plane);
    void end_frame();
    /// The scale of a tile for itself, made once and not in every frame.
    const ColorScale& own_scale(const TileKey& key, const MapTile& tile, const MapInfo& info,
                                const ColorChoice& choice);

    void clear();
    size_t bytes() const { return tiles_.bytes() + statistics_.bytes(); }
    /// All that the last frame asked for is there.
    bool complete() const { return complete_; }
    /// The same without thumbnails.
    bool sharp() const { return sharp_; }
    bool idle() const { return tiles_.idle() && statistics_.idle(); }

  private:
    using Tiles = LoadingCache<TileKey, MapTile>;
    using Statistics = LoadingCache<std::pair<uint64_t, MapPlane>, HeadStatistics>;

    Tiles tiles_;
    Statistics statistics_;
    std::vector<std::pair<Urgency, Tiles::LoadRequest>> tile_wishes_;
    std::vector<Statistics::LoadRequest> statistics_wishes_;
    ColorChoice own_choice_;
    std::map<TileKey, ColorScale> own_scales_;  ///< under own_choice_
    bool complete_ = true, sharp_ = true;
};

}  // namespace headroom
