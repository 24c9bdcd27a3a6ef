#include "panels/inspector/map_frame.h"

#include <algorithm>
#include <cmath>

namespace headroom {

static double fitting_scale(const PixelBox& box, int64_t seq_len) {
    return std::min(box.width, box.height) / static_cast<double>(seq_len);
}

MapFrame::MapFrame(const PixelBox& box, int64_t seq_len, const MapWindow& window)
    : box_(box), seq_len_(seq_len), scale_(fitting_scale(box, seq_len) * window.zoom) {
    const auto length = static_cast<double>(seq_len);
    origin_x_ = box.x + box.width / 2 - window.key * length * scale_;
    origin_y_ = box.y + box.height / 2 - window.query * length * scale_;
}

std::optional<MapEntry> MapFrame::entry_at(double x, double y) const {
    if (!box_.contains(x, y)) return std::nullopt;
    const auto key = static_cast<int64_t>(std::floor(key_at(x)));
    const auto query = static_cast<int64_t>(std::floor(query_at(y)));
    if (key < 0 || query < 0 || key >= seq_len_ || query >= seq_len_) return std::nullopt;
    return MapEntry{query, key};
}

PixelBox MapFrame::shown() const {
    const auto length = static_cast<double>(seq_len_);
    const double x0 = std::max(box_.x, x_of(0)), y0 = std::max(box_.y, y_of(0));
    const double x1 = std::min(box_.x + box_.width, x_of(length));
    const double y1 = std::min(box_.y + box_.height, y_of(length));
    return {x0, y0, std::max(0.0, x1 - x0), std::max(0.0, y1 - y0)};
}

int MapFrame::level() const {
    const int wanted = static_cast<int>(std::ceil(std::log2(1 / scale_) - 1e-9));
    // Below 32 cells there would be nothing left to see.
    const int most =
        static_cast<int>(std::floor(std::log2(std::max(1.0, static_cast<double>(seq_len_) / 8))));
    return std::clamp(wanted, 0, most);
}

std::vector<TileKey> MapFrame::tiles(const MapInfo& info, uint64_t source, const MapPlane& plane,
                                     int level) const {
    std::vector<TileKey> found;
    const PixelBox seen = shown();
    if (seen.width <= 0 || seen.height <= 0) return found;
    const auto side = static_cast<double>(kTileCells << level);
    const auto first = [&](double token) { return static_cast<int64_t>(std::floor(token / side)); };
    const auto last = [&](double token) {
        return static_cast<int64_t>(std::ceil(token / side - 1e-9)) - 1;
    };
    for (int64_t r = first(query_at(seen.y)); r <= last(query_at(seen.y + seen.height)); ++r)
        for (int64_t c = first(key_at(seen.x)); c <= last(key_at(seen.x + seen.width)); ++c) {
            const TileKey key{source, plane, level, r, c};
            if (r >= 0 && c >= 0 && tile_is_visible(info, key)) found.push_back(key);
        }
    const double cx = key_at(box_.x + box_.width / 2) / side - 0.5;
    const double cy = query_at(box_.y + box_.height / 2) / side - 0.5;
    const auto distance = [&](const TileKey& key) {
        return std::hypot(static_cast<double>(key.row) - cy, static_cast<double>(key.column) - cx);
    };
    std::stable_sort(found.begin(), found.end(),
                     [&](const TileKey& a, const TileKey& b) { return distance(a) < distance(b); });
    return found;
}

MapWindow clamped(MapWindow window, const PixelBox& box, int64_t seq_len) {
    const double most = std::max(1.0, kMostPixelsPerToken / fitting_scale(box, seq_len));
    window.zoom = std::clamp(window.zoom, 1.0, most);
    // The map's edge stops at the middle half of the box.
    const double half = 0.5 / window.zoom;
    const auto hold = [half](double centre) {
        return half >= 0.5 ? 0.5 : std::clamp(centre, half * 0.5, 1 - half * 0.5);
    };
    window.query = hold(window.query);
    window.key = hold(window.key);
    return window;
}

MapWindow zoomed_at(const MapWindow& window, const PixelBox& box, int64_t seq_len, double x,
                    double y, double factor) {
    MapWindow next = window;
    next.zoom *= factor;
    next.zoom = clamped(next, box, seq_len).zoom;
    const MapFrame before(box, seq_len, window), after(box, seq_len, next);
    const auto length = static_cast<double>(seq_len);
    next.key += (before.key_at(x) - after.key_at(x)) / length;
    next.query += (before.query_at(y) - after.query_at(y)) / length;
    return clamped(next, box, seq_len);
}

MapWindow panned(const MapWindow& window, const PixelBox& box, int64_t seq_len, double dx,
                 double dy) {
    const MapFrame frame(box, seq_len, window);
    const double span = frame.pixels_per_token() * static_cast<double>(seq_len);
    MapWindow next = window;
    next.key -= dx / span;
    next.query -= dy / span;
    return clamped(next, box, seq_len);
}

MapWindow zoomed_into(const MapWindow& window, const PixelBox& box, int64_t seq_len,
                      const PixelBox& target) {
    constexpr double kLeastPixels = 6;
    if (target.width < kLeastPixels || target.height < kLeastPixels) return window;
    const MapFrame frame(box, seq_len, window);
    const auto length = static_cast<double>(seq_len);
    MapWindow next = window;
    next.key = frame.key_at(target.x + target.width / 2) / length;
    next.query = frame.query_at(target.y + target.height / 2) / length;
    next.zoom *= std::min(box.width / target.width, box.height / target.height);
    return clamped(next, box, seq_len);
}

int coarsest_level(int64_t seq_len) {
    int level = 0;
    while (level_size(seq_len, int64_t{1} << level) > kTileCells) ++level;
    return level;
}

}  // namespace headroom
