#include "panels/figure/line_picture.h"

#include <cmath>

namespace headroom {
namespace {

constexpr int kMarginShare = 8;  // of the frame, on every side
constexpr size_t kManyPoints = 15'000;
constexpr double kLongWay = 75, kZigzagWay = 19;  // in widths of the drawing

int margin_of(int size) {
    return (size + kMarginShare - 1) / kMarginShare;
}

/// What is visible and the margins beside it.
Range widened(const LineScene& scene) {
    const Range x = scene.frame.x;
    const AxisScale scale = scene.frame.x_scale;
    if (scale == AxisScale::kLog && !(x.lower > 0)) return x;
    const double share = static_cast<double>(margin_of(scene.columns)) / scene.columns;
    return {value_at(x, scale, -share), value_at(x, scale, 1 + share)};
}

/// Pixels that a pen travels along a line.
double drawn_length(const std::vector<Point>& line, const LineScene& scene) {
    const Frame& frame = scene.frame;
    double length = 0;
    Point last{std::nan(""), std::nan("")};
    for (const Point& point : line) {
        const Point at{scene.width * place_on(frame.x, frame.x_scale, point.x),
                       scene.height * place_on(frame.y, frame.y_scale, point.y)};
        const double dx = at.x - last.x, dy = at.y - last.y;
        const double step = std::sqrt(dx * dx + dy * dy);
        if (std::isfinite(step)) length += step;
        last = at;
    }
    return length;
}

std::vector<Point> sampled(const Curve& curve, const LineScene& scene, Range wide) {
    const AxisScale scale = scene.frame.x_scale;
    // Single points may be there of what is visible alone.
    if (curve.has_points(scene.frame.x) && !curve.has_points(wide))
        return envelope(curve, scene.frame.x, scene.columns, scale);
    return envelope(curve, wide, scene.columns + 2 * margin_of(scene.columns), scale);
}

LineRaster painted(const LineScene& scene, const SampledLines& sampled, const LinePicture& picture,
                   double ratio) {
    const Frame& frame = scene.frame;
    LineRaster raster(picture.full_width(), picture.full_height());
    std::vector<Point> placed;
    for (size_t i = 0; i < sampled.lines.size(); ++i) {
        const SampledLines::Line& line = sampled.lines[i];
        placed.clear();
        for (const Point& point : line.points)
            placed.push_back(
                {picture.beside + picture.width * place_on(frame.x, frame.x_scale, point.x),
                 picture.above + picture.height * (1 - place_on(frame.y, frame.y_scale, point.y))});
        RasterPen pen = (*scene.lines)[i].pen;
        if (line.is_zigzag(scene.width)) pen = {pen.colour, 1, {}};
        pen.width *= ratio;
        for (double& part : pen.dash) part *= ratio;
        raster.add(placed, pen);
    }
    return raster;
}

}  // namespace

/// A line that goes up and down in every column is an area, which a thin pen draws as well.
bool SampledLines::Line::is_zigzag(int width) const {
    return way > kZigzagWay * width;
}

SampledLines sample_lines(const LineScene& scene) {
    const Range wide = widened(scene);
    SampledLines result;
    size_t points = 0;
    double way = 0;
    for (const SceneLine& line : *scene.lines) {
        SampledLines::Line& made = result.lines.emplace_back();
        if (!line.data) continue;
        made.points = sampled(*line.data, scene, wide);
        made.way = drawn_length(made.points, scene);
        points += made.points.size();
        way += made.way;
    }
    result.are_many = points > kManyPoints || way > kLongWay * scene.width;
    return result;
}

LinePicture paint_lines(const LineScene& scene, int width, int height, double ratio) {
    LinePicture picture{scene.frame, width, height, margin_of(width), margin_of(height), false, {}};
    const SampledLines sampled = sample_lines(scene);
    picture.many = sampled.are_many;
    if (picture.many) picture.pixels = painted(scene, sampled, picture, ratio).rows();
    return picture;
}

}  // namespace headroom
