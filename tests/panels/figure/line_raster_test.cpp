#include "panels/figure/line_raster.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace headroom {
namespace {

constexpr int kWidth = 20, kHeight = 10;
const Rgb kRed{255, 0, 0, 255};

/// The alpha of every pixel, as "#" (full), "+" (some) and "." (none).
std::string shape(const LineRaster& raster) {
    std::string text;
    const auto rows = raster.rows();
    for (size_t i = 0; i < rows.size(); ++i) {
        const uint32_t alpha = rows[i] >> 24;
        text += alpha == 255 ? '#' : alpha > 0 ? '+' : '.';
        if ((i + 1) % kWidth == 0) text += '\n';
    }
    return text;
}

std::string drawn(const std::vector<Point>& line, const RasterPen& pen) {
    LineRaster raster(kWidth, kHeight);
    raster.add(line, pen);
    return shape(raster);
}

TEST(LineRaster, DrawsALevelLineAsWideAsItsPen) {
    const std::string text = drawn({{0, 5}, {20, 5}}, {kRed, 2, {}});
    EXPECT_EQ(text.substr(4 * 21, 42), std::string(20, '#') + "\n" + std::string(20, '#') + "\n");
    EXPECT_EQ(std::count(text.begin(), text.end(), '#'), 40);
}

TEST(LineRaster, ReachesTheTopOfASpikeWithinOneColumn) {
    const std::string text = drawn({{0, 8}, {7.3, 8}, {7.4, 1}, {7.5, 8}, {20, 8}}, {kRed, 1, {}});
    for (size_t row = 1; row < 8; ++row) EXPECT_NE(text[row * 21 + 7], '.') << row;
    EXPECT_EQ(text[3 * 21 + 6], '.');
    EXPECT_EQ(text[3 * 21 + 8], '.');
}

TEST(LineRaster, ASteepLineHasNoHoles) {
    LineRaster raster(kWidth, kHeight);
    raster.add(std::vector<Point>{{2, -30}, {5, 40}}, {kRed, 1, {}});
    const auto rows = raster.rows();
    for (int y = 0; y < kHeight; ++y) {
        uint32_t strongest = 0;
        for (int x = 0; x < kWidth; ++x)
            strongest = std::max(strongest, rows[static_cast<size_t>(y * kWidth + x)] >> 24);
        EXPECT_EQ(strongest, 255u) << y;
    }
}

TEST(LineRaster, LeavesGapsWhereThereIsNoValue) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::string text = drawn({{0, 5}, {5, 5}, {8, nan}, {12, 5}, {20, 5}}, {kRed, 2, {}});
    EXPECT_EQ(text.substr(5 * 21 + 6, 5), ".....");
    EXPECT_EQ(text[5 * 21 + 15], '#');
}

TEST(LineRaster, StaysInsideItsPicture) {
    EXPECT_EQ(drawn({{-50, -50}, {-10, 20}}, {kRed, 3, {}}).find('#'), std::string::npos);
    const std::string text = drawn({{-1e9, 5}, {1e9, 5}}, {kRed, 2, {}});
    EXPECT_EQ(std::count(text.begin(), text.end(), '#'), 40);
}

TEST(LineRaster, MixesAFaintLineWithWhatLiesUnderIt) {
    LineRaster raster(kWidth, kHeight);
    raster.add(std::vector<Point>{{0, 5}, {20, 5}}, {Rgb{0, 0, 255, 255}, 2, {}});
    raster.add(std::vector<Point>{{0, 5}, {20, 5}}, {Rgb{255, 0, 0, 128}, 2, {}});
    const uint32_t pixel = raster.rows()[5 * kWidth + 10];
    EXPECT_EQ(pixel >> 24, 255u);
    EXPECT_NEAR((pixel >> 16) & 255, 128, 1);
    EXPECT_NEAR(pixel & 255, 127, 1);
}

TEST(LineRaster, LeavesOutTheGapsOfADashedLine) {
    const std::string text = drawn({{0, 5}, {20, 5}}, {kRed, 2, {5, 5}});
    EXPECT_EQ(text.substr(5 * 21, 20), "#####.....#####.....");
}

}  // namespace
}  // namespace headroom
