#include "core/probe/weights_probe.h"

#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/model/objective_data.h"
#include "tests/core/model/architectures.h"
#include "tests/core/model/forward_pass.h"
#include "tests/support/made_weights.h"

namespace headroom {
namespace {

constexpr int64_t kWeightsBatch = 2, kWeightsLength = 6;

GradientPass gradients_of(const ModelConfig& model, const Weights& weights,
                          const std::vector<int32_t>& tokens, int64_t batch) {
    const std::unique_ptr<Device> device = make_cpu_device();
    const Batch asked = next_token_batch(tokens, kWeightsLength);
    GradientPass pass(model, {batch, kWeightsLength, DType::kF64}, asked, *device);
    pass.load(MadeWeights(model, [&](const std::string& name) { return weights.at(name); }));
    pass.run();
    return pass;
}

TEST(GradientPass, LossAndGradientsAreThoseOfAllButTheLastTokens) {
    const ModelConfig model = small_job("{}").model;
    Weights weights = random_weights(model);
    const std::vector<int32_t> tokens =
        some_tokens(kWeightsBatch * kWeightsLength, model.vocab_size);
    const GradientPass pass = gradients_of(model, weights, tokens, kWeightsBatch);
    EXPECT_NEAR(pass.loss(), loss_of(model, weights, tokens, kWeightsLength), 1e-12);
    for (const char* name : {"h.2.attn.k.weight", "wte.weight", "h.0.ln_1.weight"}) {
        const std::vector<double> gradient = pass.gradient(name);
        for (const size_t at : {size_t{0}, gradient.size() / 2, gradient.size() - 1}) {
            constexpr double kStep = 1e-5;
            const double value = weights.at(name)[at];
            weights.at(name)[at] = value + kStep;
            const double above = loss_of(model, weights, tokens, kWeightsLength);
            weights.at(name)[at] = value - kStep;
            const double below = loss_of(model, weights, tokens, kWeightsLength);
            weights.at(name)[at] = value;
            EXPECT_NEAR(gradient[at], (above - below) / (2 * kStep), 1e-8) << name << " " << at;
        }
    }
}

TEST(GradientPass, SeveralPassesMakeTheMeanOfAll) {
    const ModelConfig model = small_job("{}").model;
    const Weights weights = random_weights(model);
    const std::vector<int32_t> tokens = some_tokens(4 * kWeightsLength, model.vocab_size);
    const GradientPass once = gradients_of(model, weights, tokens, 4);
    const GradientPass often = gradients_of(model, weights, tokens, 1);
    EXPECT_NEAR(once.loss(), often.loss(), 1e-13);
    const std::vector<double> a = once.gradient("h.1.mlp.up.weight");
    const std::vector<double> b = often.gradient("h.1.mlp.up.weight");
    for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-13);
}

class WeightsOf : public testing::TestWithParam<Architecture> {};

TEST_P(WeightsOf, EveryTensorIsMeasured) {
    const ModelConfig model = small_job(GetParam().keys).model;
    const Weights weights = random_weights(model);
    const MadeWeights made(model, [&](const std::string& name) { return weights.at(name); });
    const GradientPass pass =
        gradients_of(model, weights, some_tokens(kWeightsBatch * kWeightsLength, model.vocab_size),
                     kWeightsBatch);
    const std::vector<WeightNumbers> all = measure_weights(made, pass);
    ASSERT_EQ(all.size(), weights.size());
    for (const WeightNumbers& one : all) {
        const std::vector<double>& values = weights.at(one.name);
        EXPECT_NEAR(
            one.norm,
            std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0)),
            1e-12);
        EXPECT_TRUE(std::isfinite(one.gradient_norm));
        if (one.shape.size() < 2) {
            EXPECT_TRUE(one.singular_values.empty());
            continue;
        }
        double square = 0;
        for (const double value : one.singular_values) square += value * value;
        EXPECT_NEAR(std::sqrt(square), one.norm, 1e-12 * one.norm) << one.name;
        EXPECT_TRUE(std::is_sorted(one.singular_values.rbegin(), one.singular_values.rend()));
    }
}

INSTANTIATE_TEST_SUITE_P(Every, WeightsOf, testing::ValuesIn(architectures_to_test()),
                         [](const auto& tested) { return tested.param.name; });

TEST(Weights, OfAKnownMatrixHaveItsSingularValues) {
    const ModelConfig model = small_job("{}").model;
    Weights weights = random_weights(model);
    std::vector<double>& q = weights.at("h.1.attn.q.weight");  // [8, 8]
    std::fill(q.begin(), q.end(), 0.0);
    q[1] = 3;
    q[8] = -4;
    q[2 * 8 + 5] = 1;
    const MadeWeights made(model, [&](const std::string& name) { return weights.at(name); });
    const GradientPass pass =
        gradients_of(model, weights, some_tokens(kWeightsBatch * kWeightsLength, model.vocab_size),
                     kWeightsBatch);
    for (const WeightNumbers& one : measure_weights(made, pass)) {
        if (one.name != "h.1.attn.q.weight") continue;
        const std::vector<double> expected{4, 3, 1, 0, 0, 0, 0, 0};
        for (size_t i = 0; i < expected.size(); ++i)
            EXPECT_NEAR(one.singular_values[i], expected[i], 1e-14);
    }
}

TEST(Weights, ThatAreNoNumbersDoNotHideTheOthers) {
    const ModelConfig model = small_job("{}").model;
    Weights weights = random_weights(model);
    const GradientPass pass =
        gradients_of(model, weights, some_tokens(kWeightsBatch * kWeightsLength, model.vocab_size),
                     kWeightsBatch);
    weights.at("h.1.attn.q.weight")[3] = std::nan("");
    const MadeWeights made(model, [&](const std::string& name) { return weights.at(name); });
    for (const WeightNumbers& one : measure_weights(made, pass)) {
        const bool diverged = one.name == "h.1.attn.q.weight";
        EXPECT_EQ(std::isnan(one.norm), diverged) << one.name;
        for (const double value : one.singular_values) EXPECT_EQ(std::isnan(value), diverged);
    }
}

TEST(GradientPass, OfMaskedTokensIsTheMeanOverAllOfThemInAnyNumberOfPasses) {
    const ModelConfig model = small_job(R"({"causal": false})").model;
    const Weights weights = random_weights(model);
    TrainConfig train;
    train.objective = TrainingObjective::kMasked;
    train.mask_rate = 0.4;
    const std::vector<int32_t> tokens = some_tokens(4 * kWeightsLength, model.vocab_size - 1);
    const Batch asked = objective_batch(train, model, tokens, kWeightsLength);
    std::set<int64_t> counts;
    for (size_t row = 0; row < 4; ++row)
        counts.insert(count_valid(asked.targets().subspan(row * kWeightsLength, kWeightsLength)));
    ASSERT_GT(counts.size(), 1u);  // so that the mean of the means is another
    const auto device = make_cpu_device();
    std::vector<double> losses;
    std::vector<std::vector<double>> gradients;
    for (const int64_t rows : {4, 2, 1}) {
        GradientPass pass(model, {rows, kWeightsLength, DType::kF64}, asked, *device);
        pass.load(MadeWeights(model, [&](const std::string& name) { return weights.at(name); }));
        pass.run();
        losses.push_back(pass.loss());
        gradients.push_back(pass.gradient("h.1.mlp.up.weight"));
    }
    for (size_t i = 1; i < losses.size(); ++i) {
        EXPECT_NEAR(losses[i], losses[0], 1e-13);
        EXPECT_LT(relative_error(gradients[i], gradients[0]), 1e-12);
    }
}

TEST(GradientPass, RefusesASingleToken) {
    const ModelConfig model = small_job("{}").model;
    const auto device = make_cpu_device();
    EXPECT_THROW(GradientPass(model, {1, 1, DType::kF64},
                              next_token_batch(std::vector<int32_t>{3}, 1), *device),
                 UserError);
}

TEST(WeightsFile, HasAGroupForEveryTensor) {
    const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "weights.h5";
    {
        ArrayFileWriter writer(path);
        write_weights(
            writer, {{"h.0.attn.q.weight", {2, 3}, 5, 0.5, {4, 3}}, {"ln_f.weight", {3}, 2, 0.1}});
        writer.commit();
    }
    const ArrayFile file(path);
    EXPECT_EQ(file.names("/weights"),
              (std::vector<std::string>{"h.0.attn.q.weight", "ln_f.weight"}));
    EXPECT_EQ(file.read_all<double>("/weights/h.0.attn.q.weight/singular_values"),
              (std::vector<double>{4, 3}));
    EXPECT_EQ(file.read_all<double>("/weights/ln_f.weight/gradient_norm"),
              std::vector<double>{0.1});
    EXPECT_FALSE(file.has("/weights/ln_f.weight/singular_values"));
    EXPECT_EQ(file.attribute("/weights/h.0.attn.q.weight", "shape"), "[2, 3]");
    std::filesystem::remove(path);
}

}  // namespace
}  // namespace headroom
