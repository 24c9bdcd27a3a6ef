#include "panels/inspector/inspector_layout.h"

#include <algorithm>
#include <cmath>

#include "panels/inspector/atlas_layout.h"

namespace headroom {
namespace {

constexpr double kGap = 12;

/// Room for the numbers of the atlas.
double atlas_margin(const InspectorLayoutRequest& request) {
    return 1.6 * request.line;
}

/// Takes the atlas off `rest`, beside it or above it.
PixelBox take_atlas(const InspectorLayoutRequest& request, bool wide, PixelBox& rest) {
    const double share = request.panes > 1 ? 0.17 : 0.4;
    PixelBox box = rest;
    (wide ? box.width : box.height) *= share;
    const double margin = atlas_margin(request);
    const PixelBox grid = AtlasLayout(box, request.n_layer, request.n_head, margin).grid();
    if (wide) {
        box.width = std::min(box.width, grid.x + grid.width - box.x + 2);
        rest.x += box.width + kGap;
        rest.width -= box.width + kGap;
    } else {
        box.height = std::min(box.height, grid.y + grid.height - box.y + 2);
        rest.y += box.height + kGap;
        rest.height -= box.height + kGap;
    }
    return box;
}

/// The number of columns at which the smaller side of a pane's map is largest, and that side.
struct Columns {
    size_t count = 1;
    double side = -1e9;
};

Columns best_columns(const PixelBox& box, const InspectorLayoutRequest& request) {
    const size_t panes = request.panes;
    Columns best;
    for (size_t columns = 1; columns <= panes; ++columns) {
        const size_t rows = (panes + columns - 1) / columns;
        const double side = std::min(box.width / static_cast<double>(columns) - request.around_x,
                                     box.height / static_cast<double>(rows) - request.around_y);
        if (side > best.side + 4) best = {columns, side};
    }
    return best;
}

/// An atlas above the panes leaves room for the colour bar beside it, so that maps are wider.
bool bar_stands_above(const InspectorLayoutRequest& request, bool wide, const PixelBox& atlas) {
    return request.atlas && !wide && atlas.height >= 4.5 * request.line;
}

/// What the panes have once atlas and colour bar are taken off; `bar` is the latter's width.
PixelBox without_atlas(const InspectorLayoutRequest& request, bool wide, double bar, PixelBox rest,
                       PixelBox& atlas) {
    if (request.atlas) atlas = take_atlas(request, wide, rest);
    if (bar_stands_above(request, wide, atlas)) {
        atlas.width = std::max(16.0, atlas.width - bar);
        return rest;
    }
    rest.width = std::max(16.0, rest.width - bar);
    return rest;
}

/// Whose the thumbnails are: above them where they stand at the side and have room below, else
/// beside them.
void place_atlas_name(const InspectorLayoutRequest& request, bool wide, InspectorLayout& layout) {
    PixelBox& atlas = layout.atlas;
    if (wide) {
        layout.atlas_name = {atlas.x, atlas.y, atlas.width, request.line};
        atlas.y += request.line;
        atlas.height -= request.line;
        return;
    }
    const PixelBox grid =
        AtlasLayout(atlas, request.n_layer, request.n_head, atlas_margin(request)).grid();
    const double x = grid.x + grid.width + kGap;
    layout.atlas_name = {x, grid.y, std::max(0.0, atlas.x + atlas.width - x), request.line};
}

}  // namespace

InspectorLayout arrange_inspector(const InspectorLayoutRequest& request) {
    InspectorLayout layout;
    PixelBox rest{0, 0, request.width, request.height};
    const double readout = request.readout_lines * request.line;
    layout.readout = {0, request.height - readout, request.width, readout};
    rest.height = std::max(16.0, rest.height - readout - 4);
    const double bar = 5.7 * request.line;
    PixelBox beside, above;
    const PixelBox right = without_atlas(request, true, bar, rest, beside);
    const PixelBox below = without_atlas(request, false, bar, rest, above);
    // Where both give maps of one size, a wide place has the atlas at its side.
    const double more = rest.width > 1.2 * rest.height ? 8 : -8;
    const bool wide = best_columns(right, request).side + more >= best_columns(below, request).side;
    layout.atlas = wide ? beside : above;
    rest = wide ? right : below;
    layout.color_bar = {rest.x + rest.width + kGap, rest.y + 2 * request.line, 0.9 * request.line,
                        std::min(rest.height - 4 * request.line, 260.0)};
    layout.color_name = {request.width - request.line, rest.y, request.line,
                         std::min(rest.height, layout.color_bar.height + 4 * request.line)};
    if (bar_stands_above(request, wide, layout.atlas)) {
        layout.color_bar = {request.width - bar + kGap, layout.atlas.y + request.line / 2,
                            0.9 * request.line, layout.atlas.height - request.line};
        layout.color_name = {request.width - request.line, layout.atlas.y, request.line,
                             layout.atlas.height};
    }
    if (request.atlas && request.atlas_named) place_atlas_name(request, wide, layout);
    const size_t columns = best_columns(rest, request).count;
    const size_t rows = (request.panes + columns - 1) / columns;
    const double width = rest.width / static_cast<double>(columns);
    const double height = rest.height / static_cast<double>(std::max<size_t>(rows, 1));
    for (size_t i = 0; i < request.panes; ++i) {
        const size_t row = i / columns, column = i % columns;
        layout.panes.push_back({rest.x + static_cast<double>(column) * width,
                                rest.y + static_cast<double>(row) * height, width, height});
    }
    return layout;
}

PictureBoxes arrange_picture(const PixelBox& box, double gap) {
    constexpr double kLeastSide = 48;
    const double heat = std::min(box.width, box.height);
    const double side = std::min(std::fabs(box.width - box.height) - gap, heat);
    if (side < kLeastSide) return {box, std::nullopt};
    const bool beside = box.width > box.height;
    PictureBoxes boxes{box, PixelBox{box.x, box.y, side, side}};
    (beside ? boxes.heat.width : boxes.heat.height) -= side + gap;
    // The heat is in the middle of its box; the picture's edge follows its right or lower one.
    const double spare = (beside ? boxes.heat.width : boxes.heat.height) - heat;
    (beside ? boxes.picture->x : boxes.picture->y) += heat + spare / 2 + gap;
    return boxes;
}

}  // namespace headroom
