#include "panels/inspector/map_tile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace headroom {
namespace {

/// Sums up what the finer cells of one coarse cell hold.
struct CellSum {
    double sum = 0;
    double most = -std::numeric_limits<double>::infinity();
    int64_t entries = 0;
    bool nan = false;

    void add(float value, int64_t count) {
        nan = nan || std::isnan(value);
        sum += static_cast<double>(value) * static_cast<double>(count);
        most = std::max(most, static_cast<double>(value));
        entries += count;
    }
    float result(CellValue kind) const {
        if (entries == 0 || nan) return std::numeric_limits<float>::quiet_NaN();
        return static_cast<float>(kind == CellValue::kMax ? most
                                                          : sum / static_cast<double>(entries));
    }
};

/// Reduces stored cells, some rows at a time so that little memory is held.
class Reduction {
  public:
    Reduction(const MapSource& source, const TileKey& key, int64_t stored)
        : source_(source), key_(key), stored_(stored), ratio_(key.factor() / stored) {
        stored_size_ = level_size(source.info().seq_len, stored);
    }

    void fill(MapTile& tile) {
        for (int64_t r = 0; r < tile.box.rows; ++r) {
            const CellBox fine = fine_row(tile.box, tile.box.row + r);
            buffer_.resize(static_cast<size_t>(fine.count()));
            source_.read(key_.plane, stored_, fine, buffer_);
            for (int64_t c = 0; c < tile.box.columns; ++c)
                tile.values[static_cast<size_t>(r * tile.box.columns + c)] =
                    reduce(fine, tile.box.column + c);
        }
    }

  private:
    /// The stored cells under one row of the tile.
    CellBox fine_row(const CellBox& box, int64_t row) const {
        CellBox fine{row * ratio_, box.column * ratio_, 0, 0};
        fine.rows = std::min(fine.row + ratio_, stored_size_) - fine.row;
        fine.columns = std::min((box.column + box.columns) * ratio_, stored_size_) - fine.column;
        return fine;
    }

    float reduce(const CellBox& fine, int64_t column) const {
        CellSum cell;
        const int64_t last = std::min((column + 1) * ratio_, stored_size_);
        for (int64_t r = fine.row; r < fine.row + fine.rows; ++r)
            for (int64_t c = column * ratio_; c < last; ++c) {
                const int64_t count = visible_entries(source_.info(), stored_, r, c);
                if (count == 0) continue;
                const auto at = (r - fine.row) * fine.columns + c - fine.column;
                cell.add(buffer_[static_cast<size_t>(at)], count);
            }
        return cell.result(key_.plane.value);
    }

    const MapSource& source_;
    const TileKey& key_;
    int64_t stored_, ratio_, stored_size_ = 0;
    std::vector<float> buffer_;
};

}  // namespace

CellBox tile_box(const MapInfo& info, const TileKey& key) {
    const int64_t size = level_size(info.seq_len, key.factor());
    CellBox box{key.row * kTileCells, key.column * kTileCells, 0, 0};
    box.rows = std::clamp(size - box.row, int64_t{0}, kTileCells);
    box.columns = std::clamp(size - box.column, int64_t{0}, kTileCells);
    return box;
}

bool tile_is_visible(const MapInfo& info, const TileKey& key) {
    const CellBox box = tile_box(info, key);
    if (box.count() == 0) return false;
    return visible_entries(info, key.factor(), box.row + box.rows - 1, box.column) > 0;
}

MapTile load_tile(const MapSource& source, const TileKey& key) {
    MapTile tile;
    tile.factor = key.factor();
    tile.box = tile_box(source.info(), key);
    tile.values.resize(static_cast<size_t>(tile.box.count()));
    try {
        int64_t stored = 1;
        for (const int64_t factor : source.factors(key.plane))
            if (factor <= tile.factor && tile.factor % factor == 0)
                stored = std::max(stored, factor);
        if (stored == tile.factor)
            source.read(key.plane, stored, tile.box, tile.values);
        else
            Reduction(source, key, stored).fill(tile);
    } catch (const std::exception& error) {
        std::fill(tile.values.begin(), tile.values.end(), std::numeric_limits<float>::quiet_NaN());
        tile.problem = error.what();
    }
    return tile;
}

}  // namespace headroom
