#include "panels/inspector/head_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/panels/inspector/memory_source.h"

namespace headroom {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();

TEST(HeadStatistics, AreThoseOfTheUnmaskedEntries) {
    for (const bool causal : {true, false}) {
        const auto source = example_source(300, causal);  // more than one block
        const HeadStatistics got = measure_head(*source, {1, 2});
        double least = 1e9, most = -1e9, sum = 0, squares = 0, row = 0, column = 0;
        int64_t count = 0;
        for (int64_t q = 0; q < 300; ++q)
            for (int64_t k = 0; k < (causal ? q + 1 : 300); ++k) {
                const double value = static_cast<double>(example_entry(1, 2, q, k));
                least = std::min(least, value);
                most = std::max(most, value);
                sum += value;
                squares += value * value;
                ++count;
                if (q == 280) row += value;
                if (k == 7) column += value;
            }
        const auto n = static_cast<double>(count);
        EXPECT_EQ(got.finite, count);
        EXPECT_EQ(got.least, least);
        EXPECT_EQ(got.most, most);
        EXPECT_NEAR(got.mean, sum / n, 1e-12);
        EXPECT_NEAR(got.deviation, std::sqrt(squares / n - sum / n * sum / n), 1e-9);
        EXPECT_NEAR(got.queries.sum[280], row, 1e-9);
        EXPECT_NEAR(got.keys.sum[7], column, 1e-9);
        EXPECT_EQ(got.keys.entries[7], causal ? 293 : 300);
    }
}

TEST(HeadStatistics, QuantilesAreWithinAPerCent) {
    const MemorySource source(example_info(200, 1, 1, false), [](int, int, int64_t q, int64_t k) {
        return static_cast<float>(q * 200 + k) - 5000.0f;  // of both signs
    });
    const HeadStatistics got = measure_head(source, {});
    ASSERT_EQ(got.quantiles.size(), 1025u);
    EXPECT_TRUE(std::is_sorted(got.quantiles.begin(), got.quantiles.end()));
    EXPECT_EQ(got.quantiles.front(), -5000);
    EXPECT_EQ(got.quantiles.back(), 34999);
    for (size_t i = 0; i < 1025; ++i) {
        const double exact = static_cast<double>(i) / 1024 * 39999 - 5000;
        EXPECT_NEAR(got.quantiles[i], exact, 0.01 * std::fabs(exact) + 2) << i;
    }
}

TEST(HeadStatistics, TheLargestOfALineIsFound) {
    const MemorySource source(example_info(50, 1, 1), [](int, int, int64_t q, int64_t k) {
        return q == 30 && k == 12 ? 0.9f : 0.1f;
    });
    const HeadStatistics got = measure_head(source, {});
    EXPECT_EQ(got.queries.most_at[30], 12);
    EXPECT_EQ(got.keys.most_at[12], 30);
    EXPECT_FLOAT_EQ(static_cast<float>(margin_values(got.queries, Margin::kMax)[30]), 0.9f);
    EXPECT_NEAR(margin_values(got.queries, Margin::kMean)[30], (30 * 0.1 + 0.9) / 31, 1e-6);
}

// The column of the greatest change had one of the smallest bars, as it was a fall.
TEST(HeadStatistics, OfADifferenceTheLargestIsFurthestFromZero) {
    MapInfo info = example_info(50, 1, 1);
    const auto entry = [](int, int, int64_t q, int64_t k) {
        return q == 30 && k == 12 ? -0.9f : 0.1f;
    };
    EXPECT_FLOAT_EQ(static_cast<float>(measure_head(MemorySource(info, entry), {}).keys.most[12]),
                    0.1f);
    info.differs = true;
    const HeadStatistics got = measure_head(MemorySource(info, entry), {});
    EXPECT_FLOAT_EQ(static_cast<float>(got.keys.most[12]), -0.9f);
    EXPECT_EQ(got.keys.most_at[12], 30);
}

TEST(HeadStatistics, WhatIsNotFiniteIsCounted) {
    const MemorySource source(example_info(10, 1, 1, false), [](int, int, int64_t q, int64_t k) {
        return q == 1 ? std::nanf("") : q == 2 && k == 3 ? kInfinite : 1.0f;
    });
    const HeadStatistics got = measure_head(source, {});
    EXPECT_EQ(got.not_finite, 11);
    EXPECT_EQ(got.finite, 89);
    EXPECT_EQ(got.most, 1);
}

TEST(HeadStatistics, NothingFiniteGivesNoQuantiles) {
    const MemorySource source(example_info(4, 1, 1),
                              [](int, int, int64_t, int64_t) { return kInfinite; });
    EXPECT_TRUE(measure_head(source, {}).quantiles.empty());
}

TEST(HeadStatistics, WhatCannotBeReadSaysSo) {
    const auto source = example_source(20);
    source->broken = true;
    EXPECT_EQ(measure_head(*source, {}).problem, "the disk is on fire");
}

}  // namespace
}  // namespace headroom
