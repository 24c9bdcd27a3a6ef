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

TEST(RangeArgument, KnowsScalesAndColourMaps) {
    EXPECT_EQ(parse_value_scale("symlog"), ValueScale::kSymLog);
    EXPECT_THROW(parse_value_scale("cubic"), UserError);
    EXPECT_EQ(parse_color_map("puor"), ColorMap::kPuOr);
    EXPECT_THROW(parse_color_map("jet"), UserError);
}

}  // namespace
}  // namespace headroom
