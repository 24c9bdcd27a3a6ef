#pragma once

#include <algorithm>
#include <limits>
#include <optional>

#include <imgui.h>

#include "panels/base/theme.h"
#include "panels/inspector/inspector_text.h"
#include "panels/inspector/inspector_view.h"
#include "panels/inspector/tile_images.h"
#include "panels/inspector/tile_store.h"

namespace headroom {

/// What drawing needs besides the data.
struct MapPaint {
    const Theme& theme;
    TileStore& store;
    TileImages& images;
};

/// Room around a map for the names of its axes, tokens and margins, in pixels.
struct MapSurround {
    float left = 0, top = 0, right = 0, bottom = 0;
};
MapSurround map_surround(const InspectorSettings& settings, const InspectorView& view);

/// Draws the tiles of a map within its frame, from coarser ones where the right ones are not there
/// yet. `clip`: only this part of the frame.
void draw_map(ImDrawList& list, const MapPaint& paint, const MapSourcePointer& source,
              const MapPlane& plane, const MapFrame& frame, const ColorScale& scale,
              const PixelBox& clip);

/// The names of the axes at the outer edges of `room`, left of and below the map.
void draw_axis_names(ImDrawList& list, const Theme& theme, const MapAxes& axes,
                     const MapFrame& frame, const MapSurround& room);

/// Tokens between these and the map.
void draw_tokens(ImDrawList& list, const Theme& theme, const MapInfo& info, const MapFrame& frame,
                 const std::optional<MapEntry>& cursor, const MapSurround& room);

/// What the rows and columns come to, right of and above the map, as bars from zero.
void draw_margins(ImDrawList& list, const Theme& theme, const HeadStatistics& statistics,
                  Margin margin, const MapFrame& frame);

/// The row and the column of the entry under the cursor.
void draw_crosshair(ImDrawList& list, const Theme& theme, const MapFrame& frame,
                    const MapEntry& entry);

/// How far the values of the maps reach, whatever their colours show; least > most where none is
/// known.
struct ValueReach {
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();

    void add(double from, double to) {
        least = std::min(least, from);
        most = std::max(most, to);
    }
};

/// What the colours measure, upwards in the middle of the box.
void draw_color_name(ImDrawList& list, const Theme& theme, const std::string& name,
                     const PixelBox& box);

/// A legend of the scale: colours with their limits, and a triangle at an end beyond which values
/// reach, as in figures.
void draw_color_bar(ImDrawList& list, const Theme& theme, const ColorScale& scale,
                    const ValueReach& values, const PixelBox& box);

}  // namespace headroom
