#pragma once

#include <optional>

#include "panels/inspector/inspector_view.h"

namespace headroom {

/// What happened to one map in a frame.
struct MapInput {
    bool changed = false;
    bool reference_asked = false;
    bool clicked = false;              ///< pressed and let go at one place
    std::optional<MapEntry> entry;     ///< under the mouse
    std::optional<PixelBox> zoom_box;  ///< being dragged
};

/// Submits the box of a map of `side` x `side` entries as an item and turns the mouse into zoom and
/// pan. `split`: where A meets B can be dragged.
MapInput handle_map(const PixelBox& box, int64_t side, InspectorPlace& place, bool split);

/// Arrows, PgUp, PgDn, Home (fit) and Esc, while the canvas has the keyboard. Returns the steps to
/// take through checkpoints, which also lead away from one that has no record.
int handle_inspector_keys(const HeadGrid& grid, InspectorPlace& place, bool& changed);

}  // namespace headroom
