#pragma once

#include <optional>

#include "panels/inspector/draw_map.h"

namespace headroom {

/// The thumbnails of all heads with their numbers, each in the range of its own cells unless the
/// range is fixed. Returns the head under the mouse, where the item that was submitted last is
/// hovered.
void draw_atlas(ImDrawList& list, const MapPaint& paint, const MapSourcePointer& source,
                const InspectorSettings& settings, const InspectorPlace& place,
                const AtlasLayout& layout, const std::optional<HeadId>& hovered);

}  // namespace headroom
