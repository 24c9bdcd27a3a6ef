#include "panels/figure/heatmap_grid.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "panels/figure/heatmap_labels.h"
#include "panels/figure/heatmap_surround.h"

namespace headroom {
namespace {

constexpr double kMapGap = 3, kLeastMap = 4;

/// Where the maps of a grid stand, in pixels.
struct GridPlaces {
    int rows = 1, columns = 1;
    double left = 0, top = 0;      ///< of the first map
    double width = 1, height = 1;  ///< of a map
    AxisLabels row_labels, column_labels;

    QRectF map(int row, int column) const {
        return {left + column * (width + kMapGap), top + row * (height + kMapGap), width, height};
    }
    QRectF whole() const { return map(0, 0) | map(rows - 1, columns - 1); }
};

/// The largest maps that fit into the width, and into `height` with what stands above and below.
GridPlaces place_maps(const HeatmapFigure& figure, double width, double height) {
    const HeatmapGrid& grid = *figure.grid;
    const HeatmapPanel& first = figure.panels.front();
    const double aspect = static_cast<double>(first.rows) / static_cast<double>(first.columns);
    const double label = line_height(kHeatmapLabelPt);
    GridPlaces places;
    places.columns = grid.columns;
    places.rows = (static_cast<int>(figure.panels.size()) + grid.columns - 1) / grid.columns;
    places.top = room_above(figure) + label + line_height(kHeatmapTickPt) + kTickPad;
    const double high =
        (height - places.top - kMapBorder - room_below(figure, width) + kMapGap) / places.rows -
        kMapGap;
    // The room for the numbers of rows depends on which of them fit, and that on the room.
    for (int round = 0; round < 3; ++round) {
        places.row_labels = axis_labels(grid.row_axis, places.rows, places.height + kMapGap, false);
        places.left = kMapBorder + label + kTickPad + places.row_labels.widest() + kTickPad;
        const double wide =
            (width - places.left - bar_room(figure) - kMapBorder + kMapGap) / places.columns -
            kMapGap;
        places.width = std::max(kLeastMap, std::min(wide, high / aspect));
        places.height = places.width * aspect;
    }
    places.column_labels =
        axis_labels(grid.column_axis, places.columns, places.width + kMapGap, true);
    return places;
}

void add_grid_labels(HeatmapLayout& layout, const HeatmapGrid& grid, const GridPlaces& places) {
    const double label = line_height(kHeatmapLabelPt), number = line_height(kHeatmapTickPt);
    const QRectF whole = places.whole();
    const auto add = [&](const QString& text, const QRectF& box, Qt::Alignment flags,
                         double points) {
        layout.texts.push_back({text, box, static_cast<int>(flags), points});
    };
    for (int row = 0; row < places.rows; row += static_cast<int>(places.row_labels.step)) {
        const double y = places.map(row, 0).center().y();
        add(places.row_labels.all[static_cast<size_t>(row)],
            QRectF(whole.left() - kTickPad - 100, y - number / 2, 100, number),
            Qt::AlignRight | Qt::AlignVCenter, kHeatmapTickPt);
    }
    const double above = whole.top() - kTickPad - number;
    for (int column = 0; column < places.columns;
         column += static_cast<int>(places.column_labels.step)) {
        const double x = places.map(0, column).center().x();
        add(places.column_labels.all[static_cast<size_t>(column)],
            QRectF(x - 50, above, 100, number), Qt::AlignCenter, kHeatmapTickPt);
    }
    add(QString::fromStdString(grid.column_axis.label),
        QRectF(whole.left(), above - label, whole.width(), label), Qt::AlignCenter,
        kHeatmapLabelPt);
    const QPointF beside(kMapBorder + label / 2, whole.center().y());
    add(QString::fromStdString(grid.row_axis.label),
        QRectF(beside.x() - 100, beside.y() - label / 2, 200, label), Qt::AlignCenter,
        kHeatmapLabelPt);
    layout.texts.back().turned = true;
}

}  // namespace

HeatmapLayout lay_out_grid(const HeatmapFigure& figure, QSizeF size, bool dark) {
    constexpr double kHighestBar = 260;
    const GridPlaces places = place_maps(figure, size.width(), size.height());
    const QRectF whole = places.whole();
    HeatmapLayout layout;
    layout.size = size;
    layout.oddities = find_oddities(figure);
    add_title(layout, figure);
    for (int i = 0; i < static_cast<int>(figure.panels.size()); ++i)
        layout.maps.push_back(places.map(i / places.columns, i % places.columns));
    add_grid_labels(layout, *figure.grid, places);
    add_bar(layout, figure, whole.right(), whole.top(), std::min(whole.height(), kHighestBar));
    add_below(layout, figure, whole.bottom() + kMapBorder, dark);
    return layout;
}

double natural_grid_height(const HeatmapFigure& figure, double width) {
    const GridPlaces places = place_maps(figure, width, std::numeric_limits<double>::infinity());
    return std::ceil(places.whole().bottom() + kMapBorder + room_below(figure, width));
}

}  // namespace headroom
