#include "panels/figure/palette.h"

#include <array>
#include <cmath>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "panels/base/theme.h"

namespace headroom {
namespace {

TEST(Palette, EveryColourStandsOutFromItsGround) {
    for (const bool dark : {false, true})
        for (int i = 0; i < kPaletteSize; ++i)
            EXPECT_GE(contrast(palette_color(i, dark), figure_theme(dark).ground), 2.0)
                << i << (dark ? " on dark" : " on light");
}

/// How far apart two colours look: in CIE L*a*b*, 1976.
double distance(Rgb one, Rgb other) {
    const auto lab = [](Rgb c) {
        const auto linear = [](uint8_t v) {
            const double s = v / 255.0;
            return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
        };
        const double r = linear(c.r), g = linear(c.g), b = linear(c.b);
        const auto f = [](double t) {
            return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116;
        };
        const double x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505),
                     y = f(0.2126 * r + 0.7152 * g + 0.0722 * b),
                     z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
        return std::array{116 * y - 16, 500 * (x - y), 200 * (y - z)};
    };
    const auto a = lab(one), b = lab(other);
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

// The lighter blue was near the sky blue, and black had two shades that nobody could tell from it.
TEST(Palette, NoShadeLooksLikeAnother) {
    constexpr int kShades = 3;
    const auto shade = [](int i, bool dark) {
        return palette_color(i / kShades, i % kShades, dark);
    };
    for (const bool dark : {false, true})
        for (int i = 0; i < kPaletteSize * kShades; ++i) {
            EXPECT_GE(contrast(shade(i, dark), figure_theme(dark).ground), dark ? 2.8 : 2.2) << i;
            for (int other = 0; other < i; ++other)
                EXPECT_GE(distance(shade(i, dark), shade(other, dark)), 20)
                    << i << " and " << other << (dark ? " on dark" : " on light");
        }
}

TEST(Palette, FortyTwoLinesOfNoRunAreTold) {
    std::set<std::tuple<uint8_t, uint8_t, uint8_t, LineDash>> looks;
    for (int layer = 0; layer < 42; ++layer) {
        const LineStyle style = part_style(layer);
        const Rgb color = line_color(style, false);
        EXPECT_EQ(color, part_color(layer, false));
        looks.insert({color.r, color.g, color.b, style.dash});
    }
    EXPECT_EQ(looks.size(), 42u);
    EXPECT_EQ(line_color(run_style(3, 1), true), palette_color(3, 1, true));
}

// B3: the same blue, orange and green were runs, bytes, and keys, values and queries.
TEST(Palette, NoPartOfAModelWearsTheColourOfARun) {
    for (const bool dark : {false, true})
        for (int part = 0; part < kPartColors; ++part) {
            EXPECT_GE(contrast(part_color(part, dark), figure_theme(dark).ground), 2.9) << part;
            for (int run = 0; run < kPaletteSize; ++run)
                EXPECT_GE(distance(part_color(part, dark), palette_color(run, dark)), 18)
                    << part << " and run " << run << (dark ? " on dark" : " on light");
            for (int other = 0; other < part; ++other)
                EXPECT_GE(distance(part_color(part, dark), part_color(other, dark)), 18)
                    << part << " and " << other << (dark ? " on dark" : " on light");
        }
}

TEST(Palette, TextIsReadableInBothThemes) {
    for (const bool dark : {false, true}) {
        const FigureTheme& theme = figure_theme(dark);
        EXPECT_GE(contrast(theme.ink, theme.ground), 7.0);
        EXPECT_GE(contrast(theme.muted, theme.ground), 4.5);
    }
}

TEST(RunStyle, SixteenRunsDifferAndEightDifferInGrey) {
    std::set<std::tuple<int, LineDash, Marker>> looks;
    std::set<std::tuple<LineDash, Marker>> grey;
    for (int run = 0; run < 16; ++run) {
        const LineStyle style = run_style(run);
        looks.insert({style.color, style.dash, style.marker});
        if (run < 8) grey.insert({style.dash, style.marker});
    }
    EXPECT_EQ(looks.size(), 16u);
    EXPECT_EQ(grey.size(), 8u);
}

// The fourth seed had the line of the first.
TEST(RunStyle, TwelveSeedsOfOneVariantHaveLinesOfTheirOwn) {
    for (const bool dark : {false, true})
        for (int variant = 0; variant < kPaletteSize; ++variant) {
            std::set<std::tuple<uint8_t, uint8_t, uint8_t, LineDash>> lines;
            for (int seed = 0; seed < 12; ++seed) {
                const LineStyle style = run_style(variant, seed);
                const Rgb color = line_color(style, dark);
                lines.insert({color.r, color.g, color.b, style.dash});
            }
            EXPECT_EQ(lines.size(), 12u) << variant << (dark ? " on dark" : " on light");
        }
}

// A ninth variant has the colour of the first, and its dash tells which it is.
TEST(RunStyle, SeedsOfAVariantHaveNoLineOfAnother) {
    for (int variant = 0; variant < 3 * kPaletteSize; ++variant)
        for (int seed = 0; seed < 12; ++seed) {
            const LineStyle style = run_style(variant % kPaletteSize, seed);
            const LineStyle other = run_style(variant);
            if (seed == 0 && variant < kPaletteSize) continue;
            EXPECT_FALSE(line_color(style, false) == line_color(other, false) &&
                         style.dash == other.dash)
                << variant << ", seed " << seed;
        }
}

}  // namespace
}  // namespace headroom
