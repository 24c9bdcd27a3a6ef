#include "panels/figure/line_raster.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace headroom {
namespace {

constexpr uint32_t kOpaque = 255;

/// x * y / 255, rounded.
uint32_t share(uint32_t x, uint32_t y) {
    const uint32_t product = x * y + 128;
    return (product + (product >> 8)) >> 8;
}

uint32_t premultiplied(Rgb colour, uint32_t alpha) {
    return alpha << 24 | share(colour.r, alpha) << 16 | share(colour.g, alpha) << 8 |
           share(colour.b, alpha);
}

/// `over` on top of `under`, both premultiplied; two channels at once.
uint32_t blend(uint32_t over, uint32_t under) {
    const uint32_t rest = kOpaque - (over >> 24);
    const auto scaled = [rest](uint32_t pair) {
        const uint32_t product = pair * rest + 0x00800080;
        return ((product + ((product >> 8) & 0x00ff00ff)) >> 8) & 0x00ff00ff;
    };
    return over + scaled(under & 0x00ff00ff) + (scaled((under >> 8) & 0x00ff00ff) << 8);
}

}  // namespace

LineRaster::LineRaster(int width, int height)
    : width_(width),
      height_(height),
      columns_(static_cast<size_t>(width) * static_cast<size_t>(height), 0) {
    CHECK(width > 0 && height > 0, "a picture needs a pixel");
}

void LineRaster::include(int column, double y) {
    Stroke& stroke = strokes_[static_cast<size_t>(column)];
    stroke.from = std::min(stroke.from, y);
    stroke.to = std::max(stroke.to, y);
}

/// What the way from a to b covers of each column.
void LineRaster::trace(Point a, Point b) {
    if (b.x < 0 || a.x >= width_) return;
    const double slope = b.x > a.x ? (b.y - a.y) / (b.x - a.x) : 0;
    const int first = std::max(0, static_cast<int>(std::floor(a.x)));
    const int last = std::min(width_ - 1, static_cast<int>(std::floor(b.x)));
    if (a.x >= 0) include(first, a.y);
    for (int edge = std::max(first, a.x < 0 ? 0 : first + 1); edge <= last; ++edge) {
        const double y = a.y + slope * (edge - a.x);
        include(edge, y);
        if (edge > 0) include(edge - 1, y);
    }
    if (b.x < width_)
        include(last, b.y);
    else
        include(last, a.y + slope * (width_ - a.x));
}

bool LineRaster::is_stroke(const RasterPen& pen, double travelled) const {
    if (pen.dash.empty()) return true;
    double period = 0;
    for (const double part : pen.dash) period += part;
    double at = std::fmod(travelled, period);
    for (size_t i = 0; i < pen.dash.size(); ++i) {
        if (at < pen.dash[i]) return i % 2 == 0;
        at -= pen.dash[i];
    }
    return false;
}

void LineRaster::fill(int column, double from, double to, Rgb colour) {
    from = std::clamp(from, 0.0, static_cast<double>(height_));
    to = std::clamp(to, 0.0, static_cast<double>(height_));
    if (!(from < to)) return;
    uint32_t* pixels = columns_.data() + static_cast<size_t>(column) * static_cast<size_t>(height_);
    const int top = static_cast<int>(from), bottom = std::min(height_ - 1, static_cast<int>(to));
    const auto cover = [&](int row, double part) {
        const auto alpha = static_cast<uint32_t>(std::lround(part * colour.a));
        pixels[row] = blend(premultiplied(colour, alpha), pixels[row]);
    };
    if (top == bottom) return cover(top, to - from);
    cover(top, top + 1 - from);
    cover(bottom, to - bottom);
    const uint32_t whole = premultiplied(colour, colour.a);
    if (colour.a == kOpaque)
        std::fill(pixels + top + 1, pixels + bottom, whole);
    else
        for (int row = top + 1; row < bottom; ++row) pixels[row] = blend(whole, pixels[row]);
}

void LineRaster::add(std::span<const Point> line, const RasterPen& pen) {
    strokes_.assign(static_cast<size_t>(width_), {HUGE_VAL, -HUGE_VAL});
    const auto is_point = [](Point p) { return std::isfinite(p.x) && std::isfinite(p.y); };
    for (size_t i = 0; i + 1 < line.size(); ++i)
        if (is_point(line[i]) && is_point(line[i + 1])) trace(line[i], line[i + 1]);
    double travelled = 0;
    for (int column = 0; column < width_; ++column) {
        const Stroke& stroke = strokes_[static_cast<size_t>(column)];
        if (!(stroke.from <= stroke.to)) continue;
        if (is_stroke(pen, travelled))
            fill(column, stroke.from - pen.width / 2, stroke.to + pen.width / 2, pen.colour);
        if (pen.dash.empty()) continue;
        const double high = stroke.to - stroke.from;
        travelled += std::sqrt(1 + high * high);
    }
}

std::vector<uint32_t> LineRaster::rows() const {
    constexpr int kTile = 32;  // both pictures stay in the cache
    std::vector<uint32_t> rows(columns_.size());
    const auto w = static_cast<size_t>(width_), h = static_cast<size_t>(height_);
    for (int left = 0; left < width_; left += kTile)
        for (int top = 0; top < height_; top += kTile)
            for (int x = left; x < std::min(left + kTile, width_); ++x)
                for (int y = top; y < std::min(top + kTile, height_); ++y)
                    rows[static_cast<size_t>(y) * w + static_cast<size_t>(x)] =
                        columns_[static_cast<size_t>(x) * h + static_cast<size_t>(y)];
    return rows;
}

}  // namespace headroom
