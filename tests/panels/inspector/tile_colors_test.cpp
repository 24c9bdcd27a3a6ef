#include "panels/inspector/tile_colors.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/panels/inspector/memory_source.h"

namespace headroom {
namespace {

uint32_t packed(Rgb c) {
    return static_cast<uint32_t>(c.r | c.g << 8 | c.b << 16 | c.a << 24);
}

MapTile tile_of(const MapInfo& info, const MemorySource::Entry& entry, int level = 0) {
    const MemorySource source(info, entry);
    return load_tile(source, {source.serial(), {}, level, 0, 0});
}

TEST(TileColors, MaskNanAndInfinityHaveColoursOfTheirOwn) {
    const MapInfo info = example_info(8, 1, 1);
    const MapTile tile = tile_of(info, [](int, int, int64_t q, int64_t k) {
        if (q == 4 && k == 1) return std::nanf("");
        return q == 4 && k == 2 ? std::numeric_limits<float>::infinity() : 0.0f;
    });
    const ColorScale scale{ColorMap::kViridis, 0, 1, ValueScale::kLinear, 1};
    const auto pixels = tile_pixels(tile, info, scale, false);
    const MapInks& inks = map_inks(false);
    EXPECT_EQ(pixels[4 * 8 + 5], packed(inks.mask));
    EXPECT_EQ(pixels[4 * 8 + 1], packed(inks.nan));
    EXPECT_EQ(pixels[4 * 8 + 2], packed(inks.infinity));
    EXPECT_EQ(pixels[4 * 8 + 3], packed(color_at(ColorMap::kViridis, 0)));  // zero is not masked
}

TEST(TileColors, ValuesFollowTheScale) {
    const MapInfo info = example_info(16, 1, 1, false);
    const MapTile tile = tile_of(info, example_entry);
    for (const ValueScale kind : {ValueScale::kLinear, ValueScale::kLog, ValueScale::kSymLog}) {
        const ColorScale scale{ColorMap::kMagma, 0.1, 0.8, kind, 0.01};
        const auto pixels = tile_pixels(tile, info, scale, true);
        for (size_t i = 0; i < pixels.size(); ++i) {
            const Rgb exact = scale.color(static_cast<double>(tile.values[i]), true);
            for (const auto& [channel, shift] :
                 {std::pair{exact.r, 0}, {exact.g, 8}, {exact.b, 16}})
                EXPECT_NEAR(static_cast<int>(pixels[i] >> shift & 0xff), channel, 2);
        }
    }
}

TEST(TileColors, CellsThatTheDiagonalCutsAreNotMasked) {
    const MapInfo info = example_info(32, 1, 1);
    const MapTile tile = tile_of(
        info, [](int, int, int64_t, int64_t) { return 1.0f; }, 2);
    const ColorScale scale{ColorMap::kViridis, 0, 1, ValueScale::kLinear, 1};
    const auto pixels = tile_pixels(tile, info, scale, false);
    EXPECT_EQ(pixels[3 * 8 + 3], packed(color_at(ColorMap::kViridis, 1)));
    EXPECT_EQ(pixels[3 * 8 + 4], packed(map_inks(false).mask));
    EXPECT_EQ(visible_values(tile, info).size(), 36u);
}

}  // namespace
}  // namespace headroom
