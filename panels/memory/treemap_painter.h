#pragma once

#include <QRectF>
#include <cstddef>
#include <optional>
#include <string>

#include "panels/figure/page_export.h"
#include "panels/memory/treemap_layout.h"

class QPainter;

namespace headroom {

/// Paints the map, its legend and its notes into a rectangle of the painter, in pixels of 1/96
/// inch. Returns the layout of the map; its places count from `place`'s corner.
TreemapLayout paint_treemap(QPainter& painter, const TreemapView& view, const QRectF& place,
                            bool dark, bool notes = true);

/// Frames the cell that is pointed at.
void paint_chosen_cell(QPainter& painter, const TreemapLayout& layout, const QRectF& place,
                       size_t cell, bool dark);

struct TreemapPageOptions {
    double width_in = 5.5, height_in = 3.4;
    std::string title;
    bool dark = false;
    bool notes = true;
};

/// The map for export_page().
FigurePage treemap_page(TreemapView view, const TreemapPageOptions& options);

}  // namespace headroom
