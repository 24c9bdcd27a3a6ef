#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "panels/figure/clip.h"
#include "panels/figure/line_raster.h"

namespace headroom {

/// One of the lines of a figure; without data nothing is drawn.
struct SceneLine {
    CurveData data;
    RasterPen pen;
};

/// Lines, what is visible of them, and the drawing that they stand in.
struct LineScene {
    std::shared_ptr<const std::vector<SceneLine>> lines;
    Frame frame;
    int columns = 1;            ///< of detail in the frame
    int width = 1, height = 1;  ///< of the whole drawing, in pixels

    bool operator==(const LineScene&) const = default;
};

/// The points that draw the lines of a scene, and some way to either side of its frame.
struct SampledLines {
    struct Line {
        std::vector<Point> points;
        double way = 0;  ///< that a pen travels along it, in pixels of the drawing
        bool is_zigzag(int width) const;
    };
    std::vector<Line> lines;
    /// More points, or a longer way up and down, than Qt can stroke thirty times a second.
    bool are_many = false;
};
SampledLines sample_lines(const LineScene& scene);

/// A picture of the drawing area: the frame and a margin around it, which comes into view while the
/// frame is moved.
struct LinePicture {
    Frame frame;
    int width = 0, height = 0;     ///< of the frame, in pixels
    int beside = 0, above = 0;     ///< the margins' widths
    bool many = false;             ///< false: nothing is painted
    std::vector<uint32_t> pixels;  ///< premultiplied ARGB, row after row, with the margins

    int full_width() const { return width + 2 * beside; }
    int full_height() const { return height + 2 * above; }
};

/// Paints the lines of a scene, if they are many, into a frame of width x height pixels, `ratio` of
/// which make one of the scene's. The same for the same scene, whatever was painted before. Any
/// thread. REQUIRES: width and height at least 1.
LinePicture paint_lines(const LineScene& scene, int width, int height, double ratio);

}  // namespace headroom
