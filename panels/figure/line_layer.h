#pragma once

#include <vector>

#include <qcustomplot.h>

#include "panels/figure/line_raster.h"

namespace headroom {

/// A line for LineLayer, in the coordinates of the axes.
struct LayerLine {
    std::vector<Point> points;
    RasterPen pen;
};

/// Draws many lines of a plot's first axes at once with LineRaster, in place of graphs. Between the
/// graphs that were added before and after it. UI thread only.
class LineLayer : public QCPLayerable {
  public:
    explicit LineLayer(QCustomPlot& plot);

    void set_lines(std::vector<LayerLine> lines) { lines_ = std::move(lines); }

  protected:
    void applyDefaultAntialiasingHint(QCPPainter*) const override {}
    void draw(QCPPainter* painter) override;

  private:
    std::vector<LayerLine> lines_;
};

}  // namespace headroom
