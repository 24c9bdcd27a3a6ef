#pragma once

#include <imgui.h>

#include "panels/wiring/wiring_layout.h"

namespace headroom {

/// Which part of the picture a canvas shows.
struct WiringCamera {
    float zoom = 1;   ///< 1 = the whole picture fits
    float pan_x = 0;  ///< of the picture's centre, in pixels from the canvas' centre
    float pan_y = 0;
};

/// The whole picture.
void show_whole(WiringCamera& camera);

/// Zooms by the wheel's turn of this frame, around the mouse; true if there was one.
bool zoom_by_wheel(WiringCamera& camera, ImVec2 canvas_centre);

/// The picture of `view` for a canvas of `size`. Numbers keep their size while cells shrink, so a
/// large model gets wider margins, in its units.
WiringLayout fitting_layout(const WiringView& view, bool show_keys, bool show_values, ImVec2 size);

/// Where that picture lies on the screen.
struct WiringFrame {
    WiringPoint origin;  ///< of the picture's corner
    float unit = 1;      ///< pixels to a column or row
};
WiringFrame frame_of(const WiringCamera& camera, const WiringLayout& layout, ImVec2 corner,
                     ImVec2 size);

}  // namespace headroom
