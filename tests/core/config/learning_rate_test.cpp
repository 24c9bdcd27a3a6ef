#include "core/config/learning_rate.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/config/job_json.h"

namespace headroom {
namespace {

TrainConfig recipe(const std::string& name) {
    return parse_job({{"model", {{"block_size", 1024}}}, {"train", {{"recipe", name}}}}, "").train;
}

TEST(LearningRate, OfTheQueryFreeRecipeEndsOnTheWay) {
    const TrainConfig train = recipe("query_free_100k");
    EXPECT_EQ(train.steps, 100000);
    EXPECT_NEAR(learning_rate(train, 100000), 5.650e-4, 5e-8);
    EXPECT_NEAR(learning_rate(train, 1), 6e-4 / 2001, 1e-15);
    EXPECT_NEAR(learning_rate(train, 600001), 6e-5, 1e-15);
}

TEST(LearningRate, OfOneCycleIsPeakAtTheWarmUpsEndAndATenthAtTheLastStep) {
    // What OneCycleLR(max_lr=1e-3, total_steps=40, pct_start=0.1, div_factor=100,
    // final_div_factor=0.1) is defined to give.
    TrainConfig train = recipe("skipv1_gpt2");
    train.steps = 40;
    train.warmup_steps = 4;
    const double pi = std::acos(-1.0);
    EXPECT_NEAR(learning_rate(train, 1), 1e-5, 1e-12);
    EXPECT_NEAR(learning_rate(train, 2), 1e-3 + (1e-5 - 1e-3) / 2 * (1 + std::cos(pi / 3)), 1e-12);
    EXPECT_NEAR(learning_rate(train, 3), 7.525e-4, 1e-12);
    EXPECT_NEAR(learning_rate(train, 4), 1e-3, 1e-12);
    EXPECT_NEAR(learning_rate(train, 22), 1e-4 + 9e-4 / 2 * (1 + std::cos(pi / 2)), 1e-12);
    EXPECT_NEAR(learning_rate(train, 40), 1e-4, 1e-12);
    EXPECT_NEAR(learning_rate(train, 41), 1e-4, 1e-12);
}

TEST(LearningRate, OfLinearCosineStartsAtZero) {
    TrainConfig train = recipe("skipv1_llama");
    train.steps = 100;
    train.warmup_steps = 10;
    EXPECT_EQ(learning_rate(train, 1), 0.0);
    EXPECT_NEAR(learning_rate(train, 6), 1e-3, 1e-15);
    EXPECT_NEAR(learning_rate(train, 11), 2e-3, 1e-15);
    EXPECT_NEAR(learning_rate(train, 56), 1.1e-3, 1e-12);
    EXPECT_NEAR(learning_rate(train, 101), 2e-4, 1e-15);
}

TEST(LearningRate, StaysAtItsLeastAfterTheCosine) {
    TrainConfig train;
    train.steps = 100;
    train.warmup_steps = 0;
    train.decay_steps = 20;
    for (const Schedule schedule :
         {Schedule::kNanogpt, Schedule::kOneCycle, Schedule::kLinearCosine}) {
        train.schedule = schedule;
        for (int64_t step = 1; step <= 100; ++step) {
            const double rate = learning_rate(train, step);
            EXPECT_GE(rate, train.min_lr);
            EXPECT_LE(rate, train.lr * (1 + 1e-15));
            if (step > 20) {
                EXPECT_EQ(rate, train.min_lr) << step;
            }
        }
    }
    train.warmup_steps = train.decay_steps = 1;  // a warm-up of one update, and nothing after it
    train.schedule = Schedule::kOneCycle;
    EXPECT_EQ(learning_rate(train, 1), train.lr);
    EXPECT_EQ(learning_rate(train, 2), train.min_lr);
}

TEST(LearningRate, AConstantRateIsTheSameHoweverLongItIs) {
    TrainConfig train, longer;
    train.steps = 100;
    longer.steps = 200;
    EXPECT_FALSE(same_rates(train, longer)) << "it falls more slowly";
    longer.decay_steps = 100;
    EXPECT_TRUE(same_rates(train, longer));
    longer.decay_steps = 0;
    train.min_lr = longer.min_lr = train.lr;
    EXPECT_TRUE(same_rates(train, longer));
    longer.warmup_steps = 2 * train.warmup_steps;
    EXPECT_FALSE(same_rates(train, longer));
}

}  // namespace
}  // namespace headroom
