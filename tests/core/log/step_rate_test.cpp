#include "core/log/step_rate.h"

#include <limits>

#include <gtest/gtest.h>

namespace headroom {
namespace {

TrainSeries timed(const std::vector<double>& seconds, int64_t steps_per_row = 1) {
    TrainSeries train;
    for (size_t i = 0; i < seconds.size(); ++i) {
        train.step.push_back(steps_per_row * static_cast<int64_t>(i + 1));
        train.tokens.push_back(100 * steps_per_row * static_cast<int64_t>(i + 1));
        train.seconds.push_back(seconds[i]);
    }
    return train;
}

TEST(StepRate, EvaluationsBetweenStepsDoNotCount) {
    const auto rate = median_step_rate(timed({0.5, 1, 1.5, 9, 9.5, 10, 20, 20.5}));
    ASSERT_TRUE(rate.has_value());
    EXPECT_DOUBLE_EQ(rate->seconds_per_step, 0.5);
    EXPECT_DOUBLE_EQ(rate->tokens_per_second, 200);
}

TEST(StepRate, RowsMayBeSeveralSteps) {
    const auto rate = median_step_rate(timed({5, 10, 15}, 10));
    EXPECT_DOUBLE_EQ(rate->seconds_per_step, 0.5);
    EXPECT_DOUBLE_EQ(rate->tokens_per_second, 200);
}

TEST(StepRate, AClockOfWholeSecondsStandsStillInBetween) {
    std::vector<double> seconds;
    for (int i = 0; i < 60; ++i) seconds.push_back(i / 10);  // NOLINT(bugprone-integer-division)
    EXPECT_NEAR(median_step_rate(timed(seconds))->tokens_per_second, 1000, 1e-9);
}

TEST(StepRate, IsOfTheLastRowsAlone) {
    EXPECT_DOUBLE_EQ(median_step_rate(timed({1, 2, 3, 4, 4.5, 5}), 3)->seconds_per_step, 0.5);
}

TEST(StepRate, ADamagedLogIsNoOverflow) {
    TrainSeries train = timed({1, 2});
    train.step = {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
    train.tokens = train.step;
    EXPECT_GT(median_step_rate(train)->tokens_per_second, 1e19);
}

TEST(StepRate, IsNotKnownOfOneRowNorWithoutTimes) {
    EXPECT_FALSE(median_step_rate(timed({1})).has_value());
    EXPECT_FALSE(median_step_rate(timed({0, 0, 0})).has_value());
    EXPECT_FALSE(median_step_rate({}).has_value());
}

}  // namespace
}  // namespace headroom
