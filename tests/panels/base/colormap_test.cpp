#include "panels/base/colormap.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace headroom {
namespace {

const double kNan = std::nan(""), kInf = std::numeric_limits<double>::infinity();

/// Relative luminance, WCAG 2.
double luminance(Rgb colour) {
    const auto linear = [](uint8_t c) {
        const double v = c / 255.0;
        return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.r) + 0.7152 * linear(colour.g) + 0.0722 * linear(colour.b);
}

int difference(Rgb a, Rgb b) {
    return std::max({std::abs(a.r - b.r), std::abs(a.g - b.g), std::abs(a.b - b.b)});
}

TEST(ColorMap, EndsAndMiddlesAreThePublishedOnes) {
    EXPECT_EQ(color_at(ColorMap::kViridis, 0), rgb(0x440154));
    EXPECT_EQ(color_at(ColorMap::kViridis, 1), rgb(0xfde725));
    EXPECT_EQ(color_at(ColorMap::kCividis, 0), rgb(0x00224e));
    EXPECT_EQ(color_at(ColorMap::kMagma, 0), rgb(0x000004));
    EXPECT_EQ(color_at(ColorMap::kMagma, 128 / 255.0), rgb(0xb73779));
    EXPECT_EQ(color_at(ColorMap::kRdBu, 0.5), rgb(0xf7f7f7));
    EXPECT_EQ(color_at(ColorMap::kRdBu, 0.55), rgb(0xfae9df));  // halfway to #fddbc7
    EXPECT_EQ(color_at(ColorMap::kPuOr, 0), rgb(0x2d004b));
    EXPECT_EQ(color_at(ColorMap::kVik, 0), rgb(0x001261));
    EXPECT_EQ(color_at(ColorMap::kVik, -3), rgb(0x001261));
}

TEST(ColorMap, SequentialOnesGetLighterAllTheWay) {
    for (const ColorMap map : color_maps()) {
        if (is_diverging(map)) continue;
        for (int i = 0; i < 64; ++i)
            EXPECT_LT(luminance(color_at(map, i / 64.0)), luminance(color_at(map, (i + 1) / 64.0)))
                << color_map_name(map) << " at " << i;
    }
}

TEST(ColorMap, DivergingOnesAreLightestInTheMiddle) {
    for (const ColorMap map : color_maps()) {
        if (!is_diverging(map)) continue;
        const Rgb middle = color_at(map, 0.5);
        EXPECT_LT(
            std::max({middle.r, middle.g, middle.b}) - std::min({middle.r, middle.g, middle.b}),
            16);
        for (const double place : {0.0, 0.2, 0.8, 1.0})
            EXPECT_LT(luminance(color_at(map, place)), luminance(middle)) << color_map_name(map);
    }
}

TEST(ColorMap, WarmColoursAreMoreInAllThatDiverge) {
    for (const ColorMap map : color_maps()) {
        if (!is_diverging(map)) continue;
        const Rgb less = color_at(map, 0.1), more = color_at(map, 0.9);
        EXPECT_GT(less.b, less.r) << color_map_name(map);
        EXPECT_GT(more.r, more.b) << color_map_name(map);
    }
}

TEST(ColorMap, NamesFindTheirMapInAnyCase) {
    for (const ColorMap map : color_maps()) EXPECT_EQ(find_color_map(color_map_name(map)), map);
    EXPECT_EQ(find_color_map("rdbu"), ColorMap::kRdBu);
    EXPECT_FALSE(find_color_map("jet"));
    EXPECT_FALSE(find_color_map(""));
}

TEST(ColorMap, NoMapHasTheColoursOfMaskNanOrInfinity) {
    for (const bool dark : {false, true}) {
        const MapInks& inks = map_inks(dark);
        for (const ColorMap map : color_maps())
            for (int i = 0; i <= 255; ++i) {
                const Rgb colour = color_at(map, i / 255.0);
                EXPECT_GT(difference(colour, inks.mask), 12) << color_map_name(map) << " " << i;
                EXPECT_GT(difference(colour, inks.nan), 60) << color_map_name(map) << " " << i;
                EXPECT_GT(difference(colour, inks.infinity), 60) << color_map_name(map) << " " << i;
            }
        EXPECT_GT(difference(inks.nan, inks.infinity), 60);
    }
}

TEST(ColorScale, FullRangeIgnoresWhatIsNotFinite) {
    const std::vector<double> values = {2, kNan, -1, kInf, 5, -kInf};
    const ColorScale scale = make_color_scale({}, values);
    EXPECT_EQ(scale.lower, -1);
    EXPECT_EQ(scale.upper, 5);
    EXPECT_EQ(scale.place(2), 0.5);
    EXPECT_EQ(scale.value_at(0.5), 2);
    EXPECT_EQ(scale.color(5, false), color_at(ColorMap::kViridis, 1));
    EXPECT_EQ(scale.color(99, false), color_at(ColorMap::kViridis, 1));
    EXPECT_EQ(scale.color(kNan, true), map_inks(true).nan);
    EXPECT_EQ(scale.color(-kInf, true), map_inks(true).infinity);
}

TEST(ColorScale, DivergingMapsPinZeroToTheirNeutralColour) {
    ColorChoice choice;
    choice.map = ColorMap::kVik;
    for (const ValueScale scale : {ValueScale::kLinear, ValueScale::kSymLog}) {
        choice.scale = scale;
        const ColorScale made = make_color_scale(choice, std::vector<double>{-0.25, 3});
        EXPECT_EQ(made.lower, -3);
        EXPECT_EQ(made.upper, 3);
        EXPECT_DOUBLE_EQ(made.place(0), 0.5);
    }
}

TEST(ColorScale, PercentilesLeaveBothTailsOut) {
    std::vector<double> values(101);
    for (int i = 0; i <= 100; ++i) values[static_cast<size_t>(i)] = 100 - i;
    ColorChoice choice;
    choice.mode = RangeMode::kPercentile;
    choice.percentile = 2.5;
    const ColorScale scale = make_color_scale(choice, values);
    EXPECT_DOUBLE_EQ(scale.lower, 2.5);
    EXPECT_DOUBLE_EQ(scale.upper, 97.5);
}

TEST(ColorScale, SigmasAreStandardDeviationsAroundTheMean) {
    ColorChoice choice;
    choice.mode = RangeMode::kSigma;
    choice.sigmas = 2;
    const ColorScale scale = make_color_scale(choice, std::vector<double>{1, 3, 1, 3});
    EXPECT_DOUBLE_EQ(scale.lower, 0);
    EXPECT_DOUBLE_EQ(scale.upper, 4);
}

TEST(ColorScale, LogScaleStartsAtTheLeastPositiveValue) {
    ColorChoice choice;
    choice.scale = ValueScale::kLog;
    const ColorScale scale = make_color_scale(choice, std::vector<double>{0, 0.01, 1, -4});
    EXPECT_EQ(scale.lower, 0.01);
    EXPECT_EQ(scale.upper, 1);
    EXPECT_NEAR(scale.place(0.1), 0.5, 1e-12);
    EXPECT_NEAR(scale.value_at(0.5), 0.1, 1e-12);
    EXPECT_EQ(scale.color(0, false), color_at(ColorMap::kViridis, 0));
}

TEST(ColorScale, SymLogIsOddAndInvertible) {
    ColorChoice choice;
    choice.scale = ValueScale::kSymLog;
    choice.mode = RangeMode::kFixed;
    choice.lower = -100;
    choice.upper = 10;
    const ColorScale scale = make_color_scale(choice, {});
    for (const double value : {-100.0, -1.5, 0.0, 0.01, 10.0})
        EXPECT_NEAR(scale.value_at(scale.place(value)), value, 1e-9);
    EXPECT_GT(scale.place(0), 0.5);
}

TEST(ColorScale, ConstantAndMissingValuesStillHaveARange) {
    const ColorScale ones = make_color_scale({}, std::vector<double>{1, 1, 1});
    EXPECT_LT(ones.lower, ones.upper);
    EXPECT_DOUBLE_EQ(ones.place(1), 0.5);
    const ColorScale none = make_color_scale({}, std::vector<double>{kNan});
    EXPECT_EQ(none.lower, 0);
    EXPECT_EQ(none.upper, 1);
    ColorChoice log;
    log.scale = ValueScale::kLog;
    const ColorScale negative = make_color_scale(log, std::vector<double>{-2, -1});
    EXPECT_GT(negative.lower, 0);
    EXPECT_LT(negative.lower, negative.upper);
}

}  // namespace
}  // namespace headroom
