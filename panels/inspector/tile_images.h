#pragma once

#include <cstdint>

#include "panels/base/colormap.h"
#include "panels/inspector/map_tile.h"

struct ImDrawList;

namespace headroom {

/// A tile, or the heat over a picture (heat_key), is drawn in the colours of its map when large and
/// in its own as a thumbnail.
struct ImageKey {
    TileKey tile;
    bool thumbnail = false;
    auto operator<=>(const ImageKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// Turns tiles into what the screen can draw, and keeps them while they are drawn.
class TileImages {
  public:
    virtual ~TileImages() = default;
    /// What ImGui knows the picture by. Made anew when the scale or the theme has changed.
    virtual void* image(const ImageKey& key, const MapTile& tile, const MapInfo& info,
                        const ColorScale& scale, bool dark) = 0;
    /// The picture that the maps of a source are of, as it is or in greys.
    virtual void* picture(uint64_t source, const SquarePicture& picture, bool grey) = 0;
    /// One pixel of a colour, for areas of it.
    virtual void* flat(Rgb colour) = 0;
    /// What is drawn between the two covers what is below and is not mixed with it.
    virtual void begin_opaque(ImDrawList&) {}
    virtual void end_opaque(ImDrawList&) {}
};

}  // namespace headroom
