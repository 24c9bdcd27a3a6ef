#include "core/stats/spread.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace headroom {
namespace {

const std::vector<double> kThree = {2.0, 3.0, 4.0};

TEST(SpreadOf, MinMaxIsTheExtremes) {
    const Spread spread = spread_of(kThree, SeedBand::kMinMax);
    EXPECT_DOUBLE_EQ(spread.mean, 3);
    EXPECT_DOUBLE_EQ(spread.lower, 2);
    EXPECT_DOUBLE_EQ(spread.upper, 4);
}

TEST(SpreadOf, DeviationIsTheSamples) {
    EXPECT_DOUBLE_EQ(spread_of(kThree, SeedBand::kStdDev).upper, 4);
    EXPECT_DOUBLE_EQ(spread_of(kThree, SeedBand::kStdErr).upper, 3 + 1 / std::sqrt(3.0));
    EXPECT_NEAR(spread_of(kThree, SeedBand::kT95).lower, 3 - 4.302652730 / std::sqrt(3.0), 1e-4);
}

/// Of 0 and 1 fifty times each: s² = 25 / 99, and t(0.975, 99) is SciPy's.
TEST(SpreadOf, ManySeedsHaveTheirOwnQuantile) {
    std::vector<double> many(100, 0.0);
    std::fill(many.begin() + 50, many.end(), 1.0);
    const double half = 1.9842169515863888 * std::sqrt(25.0 / 99 / 100);
    EXPECT_NEAR(spread_of(many, SeedBand::kT95).upper, 0.5 + half, 1e-9);
}

TEST(SpreadOf, OneSeedHasNoKnownDeviation) {
    const std::vector<double> one = {2.5};
    EXPECT_TRUE(std::isnan(spread_of(one, SeedBand::kT95).lower));
    EXPECT_DOUBLE_EQ(spread_of(one, SeedBand::kT95).mean, 2.5);
    EXPECT_DOUBLE_EQ(spread_of(one, SeedBand::kMinMax).upper, 2.5);
}

TEST(SpreadOf, NaNShows) {
    const std::vector<double> bad = {2.5, std::nan("")};
    EXPECT_TRUE(std::isnan(spread_of(bad, SeedBand::kMinMax).mean));
}

TEST(SeedBandName, ReadsBackAndNamesTheNearest) {
    for (const SeedBand band :
         {SeedBand::kMinMax, SeedBand::kStdDev, SeedBand::kStdErr, SeedBand::kT95})
        EXPECT_EQ(parse_seed_band(name_of(band)), band);
    EXPECT_THROW(parse_seed_band("t99"), UserError);
}

}  // namespace
}  // namespace headroom
