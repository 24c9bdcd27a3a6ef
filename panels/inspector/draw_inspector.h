#pragma once

#include <optional>
#include <vector>

#include "panels/inspector/draw_map.h"

namespace headroom {

/// What the person asked for, that is not a matter of the picture alone.
struct InspectorCommands {
    int step = 0;                     ///< to an earlier (-1) or later (+1) checkpoint
    std::optional<size_t> probe;      ///< pane of shown_panes() to probe
    std::optional<size_t> reference;  ///< pane that becomes A
    std::optional<HeadId> hovered;
    std::vector<PixelBox> maps;  ///< where each map lies on the canvas
    bool changed = false;        ///< settings or place, beyond the cursor

    bool any() const { return step != 0 || probe || reference || changed; }
};

/// Draws the atlas, the maps and the read-out into the current ImGui context, filling its display.
/// Hovering a thumbnail previews its head, a click locks it. In a map: drag zooms into a box, wheel
/// zooms at the cursor, middle or Shift drag pans, a double click fits, right click makes its run
/// the reference. Over a picture a click chooses the patch whose attention is shown. Arrows step
/// through heads and layers, PgUp and PgDn through checkpoints, Esc unlocks.
InspectorCommands draw_inspector(const InspectorView& view, const MapPaint& paint,
                                 const InspectorSettings& settings, InspectorPlace& place);

}  // namespace headroom
