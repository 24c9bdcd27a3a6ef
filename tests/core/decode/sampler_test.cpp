#include "core/decode/sampler.h"

#include <cmath>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"

namespace headroom {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

const std::vector<double> kLogits{std::log(1.0), std::log(4.0), std::log(3.0), std::log(2.0)};

TEST(Sampler, TemperatureZeroTakesTheMostLikely) {
    EXPECT_EQ(sample_token(kLogits, {.temperature = 0.0}, 0, 0), 1);
    EXPECT_EQ(sample_token(std::vector<double>{2.0, 5.0, 5.0}, {.temperature = 0.0}, 0, 0), 1);
}

TEST(Sampler, TemperatureDividesTheLogits) {
    const auto p = sampling_probabilities(kLogits, {.temperature = 0.5});  // squares
    EXPECT_THAT(p, ElementsAre(DoubleNear(1.0 / 30, 1e-12), DoubleNear(16.0 / 30, 1e-12),
                               DoubleNear(9.0 / 30, 1e-12), DoubleNear(4.0 / 30, 1e-12)));
}

TEST(Sampler, TopKKeepsTheMostLikely) {
    const auto p = sampling_probabilities(kLogits, {.top_k = 2});
    EXPECT_THAT(p, ElementsAre(0.0, DoubleNear(4.0 / 7, 1e-12), DoubleNear(3.0 / 7, 1e-12), 0.0));
}

TEST(Sampler, TopPKeepsTheFewestThatReachIt) {
    const auto p = sampling_probabilities(kLogits, {.top_p = 0.7 - 1e-9});  // 0.4 + 0.3
    EXPECT_THAT(p, ElementsAre(0.0, DoubleNear(4.0 / 7, 1e-12), DoubleNear(3.0 / 7, 1e-12), 0.0));
    EXPECT_EQ(sampling_probabilities(kLogits, {.top_p = 0.1})[1], 1.0);
}

TEST(Sampler, TopPIsOfWhatTopKLeaves) {
    // 0.4 and 0.3 are left: half of them is less than the first.
    EXPECT_THAT(sampling_probabilities(kLogits, {.top_k = 2, .top_p = 0.5}),
                ElementsAre(0.0, 1.0, 0.0, 0.0));
    EXPECT_THAT(sampling_probabilities(kLogits, {.top_k = 2, .top_p = 0.6}),
                ElementsAre(0.0, DoubleNear(4.0 / 7, 1e-12), DoubleNear(3.0 / 7, 1e-12), 0.0));
}

TEST(Sampler, DrawsFollowTheProbabilitiesAndTheSeed) {
    std::map<int32_t, int> counts;
    for (uint32_t draw = 0; draw < 10000; ++draw) ++counts[sample_token(kLogits, {}, 0, draw)];
    for (const auto& [token, share] : std::map<int32_t, double>{{0, .1}, {1, .4}, {2, .3}, {3, .2}})
        EXPECT_NEAR(counts[token] / 10000.0, share, 0.02) << token;
    const auto text = [](uint64_t seed) {
        std::vector<int32_t> tokens;
        for (uint32_t draw = 0; draw < 20; ++draw)
            tokens.push_back(sample_token(kLogits, {.seed = seed}, 0, draw));
        return tokens;
    };
    EXPECT_EQ(text(5), text(5));
    EXPECT_NE(text(5), text(6));
}

TEST(Sampler, RefusesWhatMakesNoSense) {
    EXPECT_THROW(check_sampling({.temperature = -1.0}), UserError);
    EXPECT_THROW(check_sampling({.temperature = std::nan("")}), UserError);
    EXPECT_THROW(check_sampling({.top_k = -1}), UserError);
    EXPECT_THROW(check_sampling({.top_p = 0.0}), UserError);
    EXPECT_THROW(check_sampling({.top_p = 1.5}), UserError);
    EXPECT_NO_THROW(check_sampling({}));
}

}  // namespace
}  // namespace headroom
