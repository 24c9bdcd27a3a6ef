#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "panels/inspector/map_source.h"

namespace headroom {

/// Cells on a side of a tile, as the records are chunked.
inline constexpr int64_t kTileCells = 256;

/// A square of one map at one level of detail. Level d has cells of 2^d tokens.
struct TileKey {
    uint64_t source = 0;
    MapPlane plane;
    int level = 0;
    int64_t row = 0;  ///< in tiles
    int64_t column = 0;

    auto operator<=>(const TileKey&) const = default;  // NOLINT(modernize-use-nullptr)
    int64_t factor() const { return int64_t{1} << level; }
};

/// The cells of a tile; smaller than kTileCells at the map's right and lower ends.
struct MapTile {
    CellBox box;  ///< in cells of its level
    int64_t factor = 1;
    std::vector<float> values;  ///< [box.rows, box.columns]
    std::string problem;        ///< one line where it could not be read, else ""

    size_t bytes() const { return sizeof(MapTile) + values.size() * sizeof(float); }
    /// REQUIRES: inside the box.
    float at(int64_t row, int64_t column) const {
        return values[static_cast<size_t>((row - box.row) * box.columns + column - box.column)];
    }
};

/// The cells that a tile of a map holds.
CellBox tile_box(const MapInfo& info, const TileKey& key);
/// Whether any query sees any key in it; tiles above the diagonal need not be read.
bool tile_is_visible(const MapInfo& info, const TileKey& key);

/// Reads a tile, out of the coarsest stored level that is fine enough: means are weighted by how
/// many entries each cell really has. Takes milliseconds: not for the UI thread. Never throws for
/// what is in the file.
MapTile load_tile(const MapSource& source, const TileKey& key);

}  // namespace headroom
