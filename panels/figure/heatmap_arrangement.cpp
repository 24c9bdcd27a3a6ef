#include "panels/figure/heatmap_arrangement.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "panels/figure/heatmap_grid.h"
#include "panels/figure/heatmap_labels.h"
#include "panels/figure/heatmap_surround.h"
#include "panels/figure/qt_ink.h"
#include "panels/qt/elided_name.h"

namespace headroom {
namespace {

constexpr double kNamePt = 8.5, kGap = 14;
constexpr double kLeastSide = 24;

/// Room around a map for its name and labels.
struct Margins {
    double left = 0, top = 0, right = 0, bottom = 0;
};

Margins margins_of(const HeatmapPanel& panel, double cell) {
    const AxisLabels rows = axis_labels(panel.row_axis, panel.rows, cell, false);
    const AxisLabels columns = axis_labels(panel.column_axis, panel.columns, cell, true);
    const double height = line_height(kHeatmapTickPt), label = line_height(kHeatmapLabelPt);
    Margins margins;
    margins.left = label + rows.widest() + kTickLength + kTickPad;
    margins.bottom = label + (columns.turned ? columns.widest() : height) + kTickLength + kTickPad;
    margins.top = panel.name.empty() ? 0 : line_height(kNamePt) + 2;
    return margins;
}

/// The grid of maps and what stands around it.
struct Grid {
    int columns = 1, rows = 1;
    double cell = 1;             ///< pixels of a cell of the widest map
    double side = 1;             ///< largest width of a map
    double map_height = 1;       ///< largest height of a map
    Margins margins;             ///< the same for all
    double top = 0, bottom = 0;  ///< title above; legend and footnote below

    double height() const {
        return top + rows * (margins.top + map_height + margins.bottom) + (rows - 1) * kGap / 2 +
               bottom;
    }
};

int64_t most_columns(const HeatmapFigure& figure) {
    int64_t most = 1;
    for (const HeatmapPanel& panel : figure.panels) most = std::max(most, panel.columns);
    return most;
}

int64_t most_rows(const HeatmapFigure& figure) {
    int64_t most = 1;
    for (const HeatmapPanel& panel : figure.panels) most = std::max(most, panel.rows);
    return most;
}

/// Maps stand in one row while they are at least an inch wide.
Grid make_grid(const HeatmapFigure& figure, double width, int columns) {
    const auto count = static_cast<int>(figure.panels.size());
    Grid grid;
    grid.columns = columns;
    grid.rows = (count + columns - 1) / columns;
    // The margins depend on the labels, these on the size of a cell, and that on the margins.
    for (int round = 0; round < 3; ++round) {
        grid.margins = {};
        for (const HeatmapPanel& panel : figure.panels) {
            const Margins one = margins_of(panel, grid.cell);
            grid.margins.left = std::max(grid.margins.left, one.left);
            grid.margins.top = std::max(grid.margins.top, one.top);
            grid.margins.bottom = std::max(grid.margins.bottom, one.bottom);
        }
        const double room = width - 2 * kMapBorder - bar_room(figure) -
                            columns * grid.margins.left - (columns - 1) * kGap / 2;
        grid.side = std::max(kLeastSide, room / columns);
        grid.cell = grid.side / static_cast<double>(most_columns(figure));
    }
    grid.map_height = grid.cell * static_cast<double>(most_rows(figure));
    return grid;
}

Grid choose_grid(const HeatmapFigure& figure, double width) {
    const auto count = static_cast<int>(std::max<size_t>(1, figure.panels.size()));
    for (int columns = std::min(count, 6); columns > 1; --columns) {
        const Grid grid = make_grid(figure, width, columns);
        if (grid.side >= kPixelsPerInch) return grid;
    }
    return make_grid(figure, width, 1);
}

/// Adds what stands above and below the maps.
Grid with_texts(Grid grid, const HeatmapFigure& figure, double width) {
    grid.top = room_above(figure);
    grid.bottom = room_below(figure, width);
    return grid;
}

/// Makes the maps smaller until they fit into the height.
void shrink_to(Grid& grid, const HeatmapFigure& figure, double height) {
    const double around = grid.height() - grid.rows * grid.map_height;
    const double room = std::max(kLeastSide, (height - around) / grid.rows);
    if (room >= grid.map_height) return;
    grid.cell *= room / grid.map_height;
    grid.side = grid.cell * static_cast<double>(most_columns(figure));
    grid.map_height = room;
}

/// The number of columns with which the maps come out largest.
Grid largest_grid(const HeatmapFigure& figure, QSizeF size) {
    std::optional<Grid> largest;
    for (int columns = static_cast<int>(figure.panels.size()); columns > 0; --columns) {
        Grid grid = with_texts(make_grid(figure, size.width(), columns), figure, size.width());
        shrink_to(grid, figure, size.height());
        if (!largest || grid.cell > 1.02 * largest->cell) largest = grid;
    }
    return *largest;
}

void add_axis_labels(HeatmapLayout& layout, const HeatmapPanel& panel, const QRectF& map) {
    const double height = line_height(kHeatmapTickPt);
    const AxisLabels rows =
        axis_labels(panel.row_axis, panel.rows, map.height() / panel.rows, false);
    const AxisLabels columns =
        axis_labels(panel.column_axis, panel.columns, map.width() / panel.columns, true);
    for (int64_t i = 0; i < panel.rows; i += rows.step) {
        const double y = map.top() + map.height() * (static_cast<double>(i) + 0.5) / panel.rows;
        const double end = map.left() - kTickLength;
        layout.ticks.push_back({{map.left(), y}, {end, y}});
        layout.texts.push_back({rows.all[static_cast<size_t>(i)],
                                QRectF(end - kTickPad - 400, y - height / 2, 400, height),
                                Qt::AlignRight | Qt::AlignVCenter, kHeatmapTickPt});
    }
    for (int64_t j = 0; j < panel.columns; j += columns.step) {
        const double x = map.left() + map.width() * (static_cast<double>(j) + 0.5) / panel.columns;
        const double end = map.bottom() + kTickLength;
        layout.ticks.push_back({{x, map.bottom()}, {x, end}});
        HeatmapText text{columns.all[static_cast<size_t>(j)],
                         QRectF(x - 60, end + kTickPad, 120, height),
                         Qt::AlignHCenter | Qt::AlignTop, kHeatmapTickPt};
        if (columns.turned) {
            const double length = text_width(text.text, kHeatmapTickPt);
            text.box =
                QRectF(x - length / 2, end + kTickPad + length / 2 - height / 2, length, height);
            text.flags = Qt::AlignCenter;
            text.turned = true;
        }
        layout.texts.push_back(text);
    }
}

/// Name above, labels of the axes left and below.
void add_map_texts(HeatmapLayout& layout, const HeatmapPanel& panel, const QRectF& map,
                   const Margins& margins, bool first, double next_left) {
    const double name = line_height(kNamePt), label = line_height(kHeatmapLabelPt);
    const QString title =
        elided_name(QString::fromStdString(panel.name), QFontMetrics(figure_font(kNamePt)),
                    static_cast<int>(next_left - map.left() - 4));
    layout.texts.push_back({title,
                            QRectF(map.left(), map.top() - name - 1, next_left - map.left(), name),
                            Qt::AlignLeft | Qt::AlignVCenter, kNamePt});
    add_axis_labels(layout, panel, map);
    const double low = map.bottom() + margins.bottom - label;
    layout.texts.push_back({QString::fromStdString(panel.column_axis.label),
                            QRectF(map.left() - 40, low, map.width() + 80, label), Qt::AlignCenter,
                            kHeatmapLabelPt});
    if (!first) return;
    const QPointF centre(map.left() - margins.left + label / 2, map.center().y());
    layout.texts.push_back({QString::fromStdString(panel.row_axis.label),
                            QRectF(centre.x() - 100, centre.y() - label / 2, 200, label),
                            Qt::AlignCenter, kHeatmapLabelPt, false, false, true});
}

}  // namespace

double natural_heatmap_height(const HeatmapFigure& figure, double width) {
    if (figure.panels.empty()) return 160;
    if (figure.grid) return natural_grid_height(figure, width);
    return std::ceil(with_texts(choose_grid(figure, width), figure, width).height());
}

HeatmapLayout lay_out_heatmaps(const HeatmapFigure& figure, QSizeF size, bool dark) {
    HeatmapLayout layout;
    layout.size = size;
    layout.oddities = find_oddities(figure);
    if (figure.panels.empty()) {
        layout.texts.push_back({QString::fromStdString(figure.empty_text),
                                QRectF(QPointF(0, 0), size).adjusted(20, 8, -20, -8),
                                Qt::AlignCenter | Qt::TextWordWrap, kHeatmapTitlePt, false, true});
        return layout;
    }
    if (figure.grid) return lay_out_grid(figure, size, dark);
    const Grid grid = largest_grid(figure, size);
    add_title(layout, figure);
    const double pitch = grid.margins.left + grid.side + kGap / 2;
    const double left = std::max(
        kMapBorder, (size.width() - bar_room(figure) - grid.columns * pitch + kGap / 2) / 2);
    const double row_height = grid.margins.top + grid.map_height + grid.margins.bottom + kGap / 2;
    for (size_t i = 0; i < figure.panels.size(); ++i) {
        const HeatmapPanel& panel = figure.panels[i];
        const auto column = static_cast<int>(i) % grid.columns;
        const auto row = static_cast<int>(i) / grid.columns;
        const QRectF map(left + column * pitch + grid.margins.left,
                         grid.top + row * row_height + grid.margins.top,
                         grid.cell * static_cast<double>(panel.columns),
                         grid.cell * static_cast<double>(panel.rows));
        layout.maps.push_back(map);
        add_map_texts(layout, panel, map, grid.margins, column == 0,
                      map.left() + grid.side + kGap / 2);
    }
    add_bar(layout, figure, left + grid.columns * pitch - kGap / 2, grid.top + grid.margins.top,
            std::min(grid.map_height, 260.0));
    add_below(layout, figure, grid.height() - grid.bottom + kMapBorder / 2, dark);
    return layout;
}

std::optional<HeatmapCell> cell_at(const HeatmapFigure& figure, const HeatmapLayout& layout,
                                   QPointF at) {
    for (size_t i = 0; i < layout.maps.size(); ++i) {
        const QRectF& map = layout.maps[i];
        if (!map.contains(at)) continue;
        const HeatmapPanel& panel = figure.panels[i];
        const auto index = [](double offset, double length, int64_t count) {
            const auto cell = static_cast<int64_t>(offset / length * static_cast<double>(count));
            return std::clamp<int64_t>(cell, 0, count - 1);
        };
        return HeatmapCell{static_cast<int>(i), index(at.y() - map.top(), map.height(), panel.rows),
                           index(at.x() - map.left(), map.width(), panel.columns)};
    }
    return std::nullopt;
}

}  // namespace headroom
