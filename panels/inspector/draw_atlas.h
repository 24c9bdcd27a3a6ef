#pragma once

#include <optional>
#include <span>

#include "panels/inspector/draw_map.h"

namespace headroom {

/// The thumbnails of all heads of pane_of_atlas() with their numbers, each in the range of its own
/// cells unless the range is fixed; in the box `name`, if it has a size, whose they are.
/// `pictures`: of place.query's attention over the patches, not of the maps.
void draw_atlas(ImDrawList& list, const MapPaint& paint,
                std::span<const InspectorPane* const> panes, const InspectorSettings& settings,
                const InspectorPlace& place, const PixelBox& name, const AtlasLayout& layout,
                bool pictures, const std::optional<HeadId>& hovered);

}  // namespace headroom
