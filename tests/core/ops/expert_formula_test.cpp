#include <cmath>

#include <gtest/gtest.h>

#include "core/ops/expert_linear.h"
#include "core/ops/expert_rows.h"
#include "core/ops/route.h"
#include "tests/core/ops/op_call.h"

// What a mixture of experts is made of, written out by hand.

namespace headroom {
namespace {

using Numbers = std::vector<double>;

TestTensor doubles(const Shape& shape, const Numbers& numbers) {
    return {{DType::kF64, shape}, numbers};
}
TestTensor wholes(const Shape& shape, const Numbers& numbers) {
    return {{DType::kI32, shape}, numbers};
}

void expect_near(const Numbers& actual, const Numbers& expected) {
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-13) << i;
}

// Probabilities: (1/2, 1/4, 1/4), (1/7, 2/7, 4/7), (1/3, 1/3, 1/3), (1/4, 1/2, 1/4).
const Numbers kLogits{std::log(2), 0, 0, 0, std::log(2), std::log(4), 5, 5, 5, 0, std::log(2), 0};

TEST(Route, ChoosesTheLikeliestAndOfEqualOnesTheFirst) {
    const auto made = call_op(Route({.top_k = 2}), {doubles({1, 4, 3}, kLogits)});
    EXPECT_EQ(made[1], (Numbers{0, 1, 2, 1, 0, 1, 1, 0}));
    expect_near(made[0], {2. / 3, 1. / 3, 2. / 3, 1. / 3, 0.5, 0.5, 2. / 3, 1. / 3});
    EXPECT_EQ(made[4], (Numbers{0, 3, 7, 8}));
    EXPECT_EQ(made[2], (Numbers{0, 3, 7, 4, 1, 5, 6, 2}));
    EXPECT_EQ(made[3], (Numbers{0, 4, 7, 1, 3, 5, 6, 2}));
}

// ceil(0.75 * 2 * 4 / 3) = 2 places: expert 0 is asked for three times, expert 1 four times.
TEST(Route, DropsWhatComesWhenAllPlacesAreTaken) {
    const auto made = call_op(Route({.top_k = 2, .capacity = 0.75}), {doubles({2, 2, 3}, kLogits)});
    EXPECT_EQ(Route({.top_k = 2, .capacity = 0.75}).places(4, 3), 2);
    EXPECT_EQ(made[4], (Numbers{0, 2, 4, 5}));
    EXPECT_EQ(made[2], (Numbers{0, 2, 4, 3, 1, -1, -1, -1}));
    EXPECT_EQ(made[3], (Numbers{0, 4, 1, 3, 2, -1}));
    expect_near(made[0], {2. / 3, 1. / 3, 2. / 3, 1. / 3, 0.5, 0.5, 2. / 3, 1. / 3});
    EXPECT_NEAR(made[5][3 + int(RouteStat::kDropped)], 3. / 8, 1e-15);
}

TEST(Route, TellsSharesLossesAndEntropy) {
    const auto stats = call_op(Route({.top_k = 2}), {doubles({1, 4, 3}, kLogits)})[5];
    const double mean[] = {(0.5 + 1. / 7 + 1. / 3 + 0.25) / 4, (0.25 + 2. / 7 + 1. / 3 + 0.5) / 4,
                           (0.25 + 4. / 7 + 1. / 3 + 0.25) / 4};
    const auto square = [](double x) { return x * x; };
    const auto entropy = [](double a, double b, double c) {
        return -a * std::log(a) - b * std::log(b) - c * std::log(c);
    };
    const double z = (2 * square(std::log(4)) + square(std::log(7)) + square(5 + std::log(3))) / 4;
    expect_near(
        stats,
        {3. / 8, 4. / 8, 1. / 8, 0, 3 * (3. / 8 * mean[0] + 4. / 8 * mean[1] + 1. / 8 * mean[2]), z,
         (2 * entropy(0.5, 0.25, 0.25) + entropy(1. / 7, 2. / 7, 4. / 7) + std::log(3)) / 4});
}

TEST(Route, KnowsWhatItCannotRoute) {
    EXPECT_EQ(Route({.top_k = 1, .capacity = 1e6}).places(7, 3), 7);
    EXPECT_EQ(Route({.top_k = 1, .capacity = 0.001}).places(7, 3), 1);
    EXPECT_THROW(call_op(Route({.top_k = 4}), {doubles({1, 4, 3}, kLogits)}), UserError);
}

// Two tokens of two numbers; token 0 goes to experts 0 and 1, token 1 to expert 1 alone.
TEST(ExpertRows, AndTheirSumAreTheWayThereAndBack) {
    const TestTensor slots = wholes({1, 2, 2}, {0, 1, -1, 2}), sources = wholes({4}, {0, 1, 3, -1});
    const Numbers rows =
        call_op(ExpertRows(), {doubles({1, 2, 2}, {1, 2, 3, 4}), slots, sources})[0];
    EXPECT_EQ(rows, (Numbers{1, 2, 1, 2, 3, 4, 0, 0}));
    const Numbers sum =
        call_op(ExpertSum(), {doubles({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
                              doubles({1, 2, 2}, {0.25, 0.75, 0.5, 0.5}), slots, sources})[0];
    EXPECT_EQ(sum, (Numbers{2.5, 3.5, 2.5, 3}));
}

TEST(ExpertLinear, MultipliesEveryRowWithItsExpert) {
    const TestTensor offsets = wholes({4}, {0, 1, 1, 3});
    const TestTensor x = doubles({4, 2}, {1, 2, 3, 4, 5, 6, 0, 0});
    const Numbers y =
        call_op(ExpertLinear(), {x, offsets, doubles({2, 1}, {1, 10}), doubles({2, 1}, {7, 7}),
                                 doubles({2, 1}, {2, -1})})[0];
    EXPECT_EQ(y, (Numbers{21, 2, 4, 0}));
    const Numbers shifted = call_op(ExpertBias(), {doubles({4, 1}, y), offsets, doubles({1}, {1}),
                                                   doubles({1}, {2}), doubles({1}, {3})})[0];
    EXPECT_EQ(shifted, (Numbers{22, 5, 7, 0}));
}

}  // namespace
}  // namespace headroom
