#pragma once

#include <optional>

#include "panels/inspector/inspector_view.h"

namespace headroom {

/// What happened to one map in a frame.
struct MapInput {
    bool changed = false;
    bool reference_asked = false;
    std::optional<PixelBox> zoom_box;  ///< being dragged
};

/// Submits the map's box as an item and turns the mouse into zoom, pan and cursor. `split`: where A
/// meets B can be dragged.
MapInput handle_map(const PixelBox& box, const MapInfo& info, InspectorPlace& place, bool split);

/// Arrows, PgUp, PgDn, Home (fit) and Esc, while the canvas has the keyboard. Returns the steps to
/// take through checkpoints.
int handle_inspector_keys(const HeadGrid& grid, InspectorPlace& place, bool& changed);

}  // namespace headroom
