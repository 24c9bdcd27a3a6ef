#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "panels/base/rgb.h"
#include "panels/figure/curve.h"

namespace headroom {

/// How LineRaster draws a line.
struct RasterPen {
    Rgb colour;
    double width = 1;          ///< pixels
    std::vector<double> dash;  ///< strokes and gaps by turns, in pixels; empty: no gaps
};

/// Draws very many lines whose points ascend in x, such as hundreds of noisy curves, in a time that
/// depends on the pixels that they touch: each becomes one upright stroke in every column of
/// pixels, smooth at its ends. Plain memory, any thread.
class LineRaster {
  public:
    /// REQUIRES: both at least 1.
    LineRaster(int width, int height);

    /// Points in pixels, y downwards; their x never decreases. What is not finite is a gap.
    void add(std::span<const Point> line, const RasterPen& pen);

    /// Premultiplied ARGB, row after row.
    std::vector<uint32_t> rows() const;

  private:
    struct Stroke {
        double from, to;
    };
    void trace(Point a, Point b);
    void include(int column, double y);
    void fill(int column, double from, double to, Rgb colour);
    bool is_stroke(const RasterPen& pen, double travelled) const;

    int width_, height_;
    std::vector<Stroke> strokes_;    ///< of the line being drawn, by column
    std::vector<uint32_t> columns_;  ///< the picture, column after column
};

}  // namespace headroom
