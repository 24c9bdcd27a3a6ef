#pragma once

#include <QFont>
#include <QRectF>
#include <QString>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "panels/figure/heatmap.h"

namespace headroom {

/// A text of a heat map figure and where it stands.
struct HeatmapText {
    QString text;
    QRectF box;     ///< of the upright text; turned ones turn around its centre
    int flags = 0;  ///< Qt::Alignment, Qt::TextWordWrap
    double points = 8;
    bool bold = false, muted = false;
    bool turned = false;  ///< reads upwards
};

/// A tick: from the edge of an axis outwards.
struct HeatmapTick {
    QPointF from, to;
};

struct HeatmapSwatch {
    QRectF box;
    Rgb colour;
};

/// Where everything in a heat map figure stands, in pixels of 1/96 inch.
struct HeatmapLayout {
    QSizeF size;
    std::vector<QRectF> maps;  ///< one for each panel
    QRectF bar;                ///< the colour bar
    HeatmapOddities oddities;  ///< of the figure: the bar gets points, the legend swatches
    std::vector<HeatmapText> texts;
    std::vector<HeatmapTick> ticks;
    std::vector<HeatmapSwatch> swatches;
};

/// Lays the maps out in rows or in their grid, as large as `size` allows, cells square. REQUIRES: a
/// QApplication.
HeatmapLayout lay_out_heatmaps(const HeatmapFigure& figure, QSizeF size, bool dark);

/// The height at which maps fill `width` pixels.
double natural_heatmap_height(const HeatmapFigure& figure, double width);

struct HeatmapCell {
    int panel = 0;
    int64_t row = 0, column = 0;

    bool operator==(const HeatmapCell&) const = default;
};

/// The cell under a point.
std::optional<HeatmapCell> cell_at(const HeatmapFigure& figure, const HeatmapLayout& layout,
                                   QPointF at);

}  // namespace headroom
