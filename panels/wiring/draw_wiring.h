#pragma once

#include <optional>

#include "panels/base/theme.h"
#include "panels/wiring/wiring_camera.h"
#include "panels/wiring/wiring_layout.h"
#include "panels/wiring/wiring_ownership_view.h"
#include "panels/wiring/wiring_view.h"

namespace headroom {

enum class WiringColoring { kSource, kCacheOwner };

/// What the person has set on the canvas; kept between frames.
struct WiringSettings : WiringCamera {
    bool show_keys = true;
    bool show_values = true;
    WiringColoring color_by = WiringColoring::kSource;
    std::optional<TableHead> locked;  ///< clicked: stays in the read-out
};

/// What the drawing reports back.
struct WiringCommands {
    std::optional<TableHead> hovered;
    bool settings_changed = false;
};

/// Draws toolbar, canvas and read-out into the current ImGui context, filling its display. Wheel
/// zooms at the cursor, drag pans, double click fits, click keeps a head in the read-out, arrows
/// move from one kept head to the next.
/// `ownership` is that of the view.
WiringCommands draw_wiring(const WiringView& view, const WiringOwnership& ownership,
                           const Theme& theme, WiringSettings& settings);

}  // namespace headroom
