#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "panels/inspector/map_tile.h"

namespace headroom {

struct PixelBox {
    double x = 0, y = 0, width = 0, height = 0;

    bool contains(double px, double py) const {
        return px >= x && px < x + width && py >= y && py < y + height;
    }
};

/// What part of a map is seen: shared by all maps that are linked. In tokens, so that maps of
/// the same text show the same place whatever their size on the screen.
struct MapWindow {
    double zoom = 1;                ///< 1 = the whole map fits
    double query = 0.5, key = 0.5;  ///< at the centre, as a share of the sequence

    bool operator==(const MapWindow&) const = default;
};

/// One entry of a map.
struct MapEntry {
    int64_t query = 0, key = 0;
    bool operator==(const MapEntry&) const = default;
};

/// A map placed on the screen: turns pixels into entries and back, and says which tiles it needs.
class MapFrame {
  public:
    /// REQUIRES: seq_len > 0 and a box of some size.
    MapFrame(const PixelBox& box, int64_t seq_len, const MapWindow& window);

    const PixelBox& box() const { return box_; }
    double pixels_per_token() const { return scale_; }
    double x_of(double key) const { return origin_x_ + key * scale_; }
    double y_of(double query) const { return origin_y_ + query * scale_; }
    double key_at(double x) const { return (x - origin_x_) / scale_; }
    double query_at(double y) const { return (y - origin_y_) / scale_; }
    /// The entry under a pixel; nothing outside the box or the map.
    std::optional<MapEntry> entry_at(double x, double y) const;
    /// What of the map is within the box, in pixels.
    PixelBox shown() const;

    /// Level of detail at which a cell is one to two pixels, so that no entry falls between pixels.
    int level() const;
    /// The tiles of a level that are in sight and not masked, the nearest to the centre first.
    std::vector<TileKey> tiles(const MapInfo& info, uint64_t source, const MapPlane& plane,
                               int level) const;

  private:
    PixelBox box_;
    int64_t seq_len_;
    double scale_, origin_x_, origin_y_;
};

/// Keeps zoom between the whole map and `kMostPixels` per token, and the centre on the map.
MapWindow clamped(MapWindow window, const PixelBox& box, int64_t seq_len);
/// Zooms by `factor` such that what is under the pixel stays there.
MapWindow zoomed_at(const MapWindow& window, const PixelBox& box, int64_t seq_len, double x,
                    double y, double factor);
MapWindow panned(const MapWindow& window, const PixelBox& box, int64_t seq_len, double dx,
                 double dy);
/// Shows a rectangle of pixels as large as it fits. Tiny rectangles change nothing.
MapWindow zoomed_into(const MapWindow& window, const PixelBox& box, int64_t seq_len,
                      const PixelBox& target);

inline constexpr double kMostPixelsPerToken = 96;

/// Largest level worth having: the whole map in at most kTileCells cells.
int coarsest_level(int64_t seq_len);

}  // namespace headroom
