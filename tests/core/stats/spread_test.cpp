#include "core/stats/spread.h"

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
