#include "core/stats/mcnemar.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

/// Sums of binomial coefficients, exact in whole numbers; scipy.stats.binomtest gives the same.
TEST(McNemar, IsTheTwoSidedBinomialTestOfTheItemsThatDiffer) {
    EXPECT_NEAR(mcnemar_p(5, 10), 0.3017578125, 1e-13);
    EXPECT_NEAR(mcnemar_p(0, 6), 0.03125, 1e-14);
    EXPECT_NEAR(mcnemar_p(200, 250), 0.02079180024760769, 1e-12);
    EXPECT_NEAR(mcnemar_p(3000, 3200), 0.011488253770871206, 1e-11);
    EXPECT_EQ(mcnemar_p(1, 2), mcnemar_p(2, 1));
}

TEST(McNemar, WhereNothingTellsThemApartItIsOne) {
    EXPECT_EQ(mcnemar_p(0, 0), 1);
    EXPECT_EQ(mcnemar_p(7, 7), 1);
    EXPECT_NEAR(mcnemar_p(0, 1), 1, 1e-13);
    EXPECT_NEAR(mcnemar_p(7, 8), 1, 1e-13);
}

}  // namespace
}  // namespace headroom
