#include "core/probe/mixing_probe.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/core/model/architectures.h"
#include "tests/core/probe/probe_run.h"
#include "tests/support/made_weights.h"

namespace headroom {
namespace {

NumberArrays mixing_of(const ModelConfig& model, const Weights& weights) {
    return mixing_weights(
        MadeWeights(model, [&](const std::string& name) { return weights.at(name); }));
}

TEST(Mixing, OfAPlainModelIsEmpty) {
    const ModelConfig model = small_job("{}").model;
    EXPECT_TRUE(mixing_of(model, random_weights(model)).empty());
}

TEST(Mixing, HasResFormersLambdaWhereALayerLearnsOne) {
    const ModelConfig model = small_job(R"({"arch":"resformer","res_lambda":"learned"})").model;
    const Weights weights = random_weights(model);
    const NumberArray lambda = mixing_of(model, weights).at("lambda");
    ASSERT_EQ(lambda.shape, Shape{model.n_layer});
    EXPECT_TRUE(std::isnan(lambda.at({0})));
    EXPECT_EQ(lambda.at({2}), weights.at("h.2.attn.lambda")[0]);
}

TEST(Mixing, PutsDenseFormersWeightsAtTheStreamsThatTheyTake) {
    const ModelConfig model =
        small_job(R"({"arch":"denseformer","dwa_dilation":2,"dwa_period":1})").model;
    const Weights weights = random_weights(model);
    const NumberArray dwa = mixing_of(model, weights).at("dwa");
    ASSERT_EQ(dwa.shape, (Shape{4, 5}));
    EXPECT_TRUE(std::isnan(dwa.at({0, 0})));
    EXPECT_EQ(dwa.at({0, 1}), weights.at("dwa.0.weight")[0]);
    EXPECT_EQ(dwa.at({3, 0}), weights.at("dwa.3.weight")[0]);
    EXPECT_EQ(dwa.at({3, 4}), weights.at("dwa.3.weight")[2]);
    EXPECT_TRUE(std::isnan(dwa.at({3, 3})));
}

TEST(Mixing, ShowsConstrainedHyperConnectionsAsTheyAct) {
    const ModelConfig model = small_job(R"({"hyper":"mhc","n_stream":3})").model;
    const Weights weights = random_weights(model);
    const NumberArrays mixing = mixing_of(model, weights);
    EXPECT_NEAR(mixing.at("hc_mlp/a").at({1, 2}),
                1 / (1 + std::exp(-weights.at("h.1.hc_mlp.a")[2])), 1e-15);
    EXPECT_NEAR(mixing.at("hc_attn/b").at({3, 0}),
                2 / (1 + std::exp(-weights.at("h.3.hc_attn.b")[0])), 1e-15);
    const NumberArray& r = mixing.at("hc_attn/r");
    ASSERT_EQ(r.shape, (Shape{4, 3, 3}));
    for (int64_t layer = 0; layer < 4; ++layer)
        for (int64_t i = 0; i < 3; ++i) {
            EXPECT_NEAR(r.at({layer, i, 0}) + r.at({layer, i, 1}) + r.at({layer, i, 2}), 1, 1e-12);
            EXPECT_NEAR(r.at({layer, 0, i}) + r.at({layer, 1, i}) + r.at({layer, 2, i}), 1, 0.01);
        }
    // Scaling rows and columns keeps the cross ratios of e^x.
    const std::vector<double>& x = weights.at("h.2.hc_attn.r");
    EXPECT_NEAR(r.at({2, 0, 0}) * r.at({2, 1, 1}) / (r.at({2, 0, 1}) * r.at({2, 1, 0})),
                std::exp(x[0] + x[4] - x[1] - x[3]), 1e-10);
}

TEST(Mixing, ShowsFreeHyperConnectionsAsTheyAreStored) {
    const ModelConfig model =
        small_job(R"({"hyper":"hc","n_stream":2,"topology":"parallel"})").model;
    const Weights weights = random_weights(model);
    const NumberArrays mixing = mixing_of(model, weights);
    EXPECT_EQ(mixing.at("hc_attn/r").at({1, 1, 0}), weights.at("h.1.hc_attn.r")[2]);
    EXPECT_FALSE(mixing.contains("hc_mlp/a"));
}

class StreamNormOf : public testing::TestWithParam<Architecture> {};

TEST_P(StreamNormOf, IsTheMeanNormOfItsRows) {
    const ModelConfig model = small_job(GetParam().keys).model;
    ProbeTaps taps;
    taps.streams = true;
    const ProbePass pass =
        probe_run(model, taps, random_weights(model), some_tokens(12, model.vocab_size), 2);
    StreamNormSum sum;
    sum.add(pass);
    double expected = 0;
    for (int64_t b = 0; b < 2; ++b)
        for (int64_t i = 0; i < 6; ++i) {
            double square = 0;
            const TokenMatrix stream = pass.stream(1, b);
            for (const double value : stream.row(i)) square += value * value;
            expected += std::sqrt(square) / 12;
        }
    EXPECT_EQ(sum.mean().shape, Shape{model.n_layer + 1});
    EXPECT_NEAR(sum.mean().at({2}), expected, 1e-12 * expected);
}

INSTANTIATE_TEST_SUITE_P(Every, StreamNormOf, testing::ValuesIn(architectures_to_test()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace headroom
