#pragma once

#include "panels/figure/heatmap_arrangement.h"

class QImage;
class QPainter;

namespace headroom {

/// One map as an image of at least `least_pixels` along its longer side, each cell a square of
/// whole pixels, so that no viewer blurs it.
QImage heatmap_image(const HeatmapPanel& panel, const ColorScale& scale, bool dark,
                     int least_pixels);

/// The one renderer of heat maps, on the screen and in print: maps are images inside vector axes.
void paint_heatmaps(QPainter& painter, const HeatmapFigure& figure, const HeatmapLayout& layout,
                    bool dark);

}  // namespace headroom
