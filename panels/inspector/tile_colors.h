#pragma once

#include <cstdint>
#include <vector>

#include "panels/base/colormap.h"
#include "panels/inspector/map_tile.h"

namespace headroom {

/// The tile as pixels [box.rows, box.columns], bytes in the order R G B A: the mask flat in its own
/// colour, NaN and infinity in theirs, the rest by the scale.
std::vector<uint32_t> tile_pixels(const MapTile& tile, const MapInfo& info, const ColorScale& scale,
                                  bool dark);

/// The values of a tile that the mask lets through, for a scale of its own.
std::vector<double> visible_values(const MapTile& tile, const MapInfo& info);

}  // namespace headroom
