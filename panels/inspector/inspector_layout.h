#pragma once

#include <optional>
#include <vector>

#include "panels/inspector/map_frame.h"

namespace headroom {

/// How the canvas is divided, in pixels.
struct InspectorLayout {
    PixelBox atlas;       ///< no size where it is hidden
    PixelBox atlas_name;  ///< for whose heads it shows; no size where that is plain
    std::vector<PixelBox> panes;
    PixelBox color_bar;
    PixelBox color_name;  ///< for what the colours measure, which reads upwards beside the bar
    PixelBox readout;
};

struct InspectorLayoutRequest {
    double width = 0, height = 0;
    int n_layer = 1, n_head = 1;
    size_t panes = 1;
    bool atlas = true;
    double line = 16;          ///< height of a line of text
    bool atlas_named = false;  ///< several models are shown, of one of which it is
    double readout_lines = 3;
    double around_x = 0, around_y = 0;  ///< of each pane, that its map cannot use
};

/// The atlas goes to the left on a wide canvas and on top of a tall one, as large as it can use
/// without taking more than two fifths; panes share the rest so that they are as square as they
/// can be.
InspectorLayout arrange_inspector(const InspectorLayoutRequest& request);

/// Where the heat over a picture stands, and the picture itself.
struct PictureBoxes {
    PixelBox heat;
    std::optional<PixelBox> picture;
};

/// The picture takes what a square heat leaves of the box, on its right or below it, `gap` away,
/// and never room that would make the heat smaller. None where it would be tiny.
PictureBoxes arrange_picture(const PixelBox& box, double gap);

}  // namespace headroom
