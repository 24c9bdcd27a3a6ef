#include "core/train/divergence.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom {
namespace {

using ::testing::HasSubstr;

/// The step at which losses of these values, each for so many steps, diverge; 0 for never.
int step_of(DivergenceWatch& watch, const std::vector<std::pair<int, double>>& stretches) {
    int step = 0;
    for (const auto& [count, loss] : stretches)
        for (int i = 0; i < count; ++i) {
            ++step;
            if (!watch.add(loss).empty()) return step;
        }
    return 0;
}

constexpr int64_t kBytes = 256;  // ln V = 5.545

TEST(DivergenceWatch, SeesALossThatIsNoNumberAtOnce) {
    for (const double loss : {std::nan(""), std::numeric_limits<double>::infinity()}) {
        DivergenceWatch watch(kBytes, 1000);
        EXPECT_EQ(watch.add(5), "");
        EXPECT_THAT(watch.add(loss), HasSubstr("at step 2"));
    }
}

TEST(DivergenceWatch, SeesAMeanOfFiftyStepsANatAboveChance) {
    DivergenceWatch at_chance(kBytes, 1000);
    EXPECT_EQ(step_of(at_chance, {{1000, 6.54}}), 0);
    DivergenceWatch above(kBytes, 1000);
    EXPECT_EQ(step_of(above, {{1000, 6.55}}), 50) << "before there are fifty there is no mean";
}

TEST(DivergenceWatch, OneSpikeIsNone) {
    DivergenceWatch watch(kBytes, 1000);
    EXPECT_EQ(step_of(watch, {{200, 3}, {1, 40}, {200, 3}}), 0) << "their mean rises by 0.74";
}

/// After 26 steps at 5 the mean of fifty is 3 + 2 · 26 / 50 = 4.04, the first above 4.
TEST(DivergenceWatch, SeesARiseOfANatAboveTheBestMean) {
    DivergenceWatch watch(kBytes, 1000);
    EXPECT_EQ(step_of(watch, {{200, 3}, {100, 5}}), 226);
}

TEST(DivergenceWatch, LetsTheFirstTenthOfARunRise) {
    DivergenceWatch watch(kBytes, 3000);
    EXPECT_EQ(step_of(watch, {{200, 3}, {200, 5}}), 301);
}

}  // namespace
}  // namespace headroom
