#include "app/figure/range_argument.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace headroom {
namespace {

ColorChoice parsed(const std::string& text) {
    ColorChoice choice;
    parse_color_range(text, choice);
    return choice;
}

TEST(RangeArgument, TakesEveryModeWithItsNumbers) {
    EXPECT_EQ(parsed("full").mode, RangeMode::kFull);
    EXPECT_EQ(parsed("p2.5").mode, RangeMode::kPercentile);
    EXPECT_EQ(parsed("p2.5").percentile, 2.5);
    EXPECT_EQ(parsed("3sigma").mode, RangeMode::kSigma);
    EXPECT_EQ(parsed("3sigma").sigmas, 3);
    EXPECT_EQ(parsed("-0.5:1e-2").mode, RangeMode::kFixed);
    EXPECT_EQ(parsed("-0.5:1e-2").lower, -0.5);
    EXPECT_EQ(parsed("-0.5:1e-2").upper, 0.01);
}

TEST(RangeArgument, RefusesWhatIsNoRange) {
    for (const char* text : {"", "p", "p50", "p-1", "pnan", "sigma", "0sigma", "-1sigma", "1:1",
                             "2:1", ":1", "1:", "0:inf", "1:2:3", "all"})
        EXPECT_THROW(parsed(text), UserError) << text;
}

TEST(RangeArgument, OfAnAxisAreNumbersAsPeopleTypeThem) {
    EXPECT_EQ(parse_axis_range("0:200k", "x-range", false), (Range{0, 200000}));
    EXPECT_EQ(parse_axis_range("-0.5:1e-2", "y-range", false), (Range{-0.5, 0.01}));
    for (const char* text : {"", "5", "5:", ":5", "5:5", "6:5", "0:inf", "1:2:3", "a:b"})
        EXPECT_THROW(parse_axis_range(text, "x-range", false), UserError) << text;
    EXPECT_THROW(parse_axis_range("0:10", "x-range", true), UserError);
    EXPECT_EQ(parse_axis_range("0.1:10", "x-range", true), (Range{0.1, 10}));
}

TEST(RangeArgument, KnowsScalesAndColourMaps) {
    EXPECT_EQ(parse_value_scale("symlog"), ValueScale::kSymLog);
    EXPECT_THROW(parse_value_scale("cubic"), UserError);
    EXPECT_EQ(parse_color_map("puor"), ColorMap::kPuOr);
    EXPECT_THROW(parse_color_map("jet"), UserError);
}

}  // namespace
}  // namespace headroom
