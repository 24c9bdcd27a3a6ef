#include "panels/inspector/tile_colors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>

namespace headroom {
namespace {

constexpr size_t kShades = 1024;

uint32_t packed(Rgb colour) {
    static_assert(std::endian::native == std::endian::little);
    return static_cast<uint32_t>(colour.r) | static_cast<uint32_t>(colour.g) << 8 |
           static_cast<uint32_t>(colour.b) << 16 | static_cast<uint32_t>(colour.a) << 24;
}

std::array<uint32_t, kShades> shades_of(ColorMap map) {
    std::array<uint32_t, kShades> shades;
    for (size_t i = 0; i < kShades; ++i)
        shades[i] = packed(color_at(map, static_cast<double>(i) / (kShades - 1)));
    return shades;
}

/// How many cells of a row, from its first, any query of it sees.
int64_t visible_cells(const MapTile& tile, const MapInfo& info, int64_t row) {
    if (!info.causal) return tile.box.columns;
    const int64_t last_query = std::min((row + 1) * tile.factor, info.seq_len) - 1;
    const int64_t cells = last_query / tile.factor + 1 - tile.box.column;
    return std::clamp(cells, int64_t{0}, tile.box.columns);
}

}  // namespace

std::vector<uint32_t> tile_pixels(const MapTile& tile, const MapInfo& info, const ColorScale& scale,
                                  bool dark) {
    const auto shades = shades_of(scale.map);
    const MapInks& inks = map_inks(dark);
    const uint32_t mask = packed(inks.mask), nan = packed(inks.nan), inf = packed(inks.infinity);
    const auto shade = [&](double value) {
        const double place = std::clamp(scale.place(value), 0.0, 1.0) * (kShades - 1);
        return shades[static_cast<size_t>(place + 0.5)];  // NOLINT(bugprone-incorrect-roundings)
    };
    std::vector<uint32_t> pixels(tile.values.size(), mask);
    for (int64_t r = 0; r < tile.box.rows; ++r) {
        const int64_t seen = visible_cells(tile, info, tile.box.row + r);
        for (int64_t c = 0; c < seen; ++c) {
            const auto i = static_cast<size_t>(r * tile.box.columns + c);
            const float value = tile.values[i];
            pixels[i] = std::isnan(value)   ? nan
                        : std::isinf(value) ? inf
                                            : shade(static_cast<double>(value));
        }
    }
    return pixels;
}

std::vector<double> visible_values(const MapTile& tile, const MapInfo& info) {
    std::vector<double> values;
    values.reserve(tile.values.size());
    for (int64_t r = 0; r < tile.box.rows; ++r) {
        const int64_t seen = visible_cells(tile, info, tile.box.row + r);
        const float* row = tile.values.data() + r * tile.box.columns;
        values.insert(values.end(), row, row + seen);
    }
    return values;
}

}  // namespace headroom
