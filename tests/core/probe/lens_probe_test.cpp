#include "core/probe/lens_probe.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/data/batch.h"
#include "core/device/batch_inputs.h"
#include "tests/core/model/architectures.h"
#include "tests/core/probe/probe_run.h"
#include "tests/core/train/test_data.h"
#include "tests/support/made_weights.h"

namespace headroom {
namespace {

constexpr int64_t kLensBatch = 2, kLensLength = 6;

LensNumbers lens_of(const ModelConfig& model, const Weights& weights,
                    const std::vector<int32_t>& tokens, int64_t batch) {
    ProbeTaps taps;
    taps.streams = true;
    LensSum sum(MadeWeights(model, [&](const std::string& name) { return weights.at(name); }));
    const auto length = static_cast<int64_t>(tokens.size()) / batch;
    const Batch asked = next_token_batch(tokens, length);
    sum.add(probe_run(model, taps, weights, tokens, batch), asked.targets());
    return sum.mean();
}

/// Cross-entropy of the next token, from the model's own logits of one sequence.
double own_loss(const std::vector<double>& logits, std::span<const int32_t> tokens,
                int64_t vocabulary) {
    double loss = 0;
    for (size_t i = 0; i + 1 < tokens.size(); ++i) {
        const double* row = logits.data() + static_cast<int64_t>(i) * vocabulary;
        double sum = 0;
        for (int64_t v = 0; v < vocabulary; ++v) sum += std::exp(row[v]);
        loss += std::log(sum) - row[tokens[i + 1]];
    }
    return loss / static_cast<double>(tokens.size() - 1);
}

class LensOf : public testing::TestWithParam<Architecture> {};

TEST_P(LensOf, TheLastLayerIsTheModelItself) {
    const ModelConfig model = small_job(GetParam().keys).model;
    const Weights weights = random_weights(model);
    const std::vector<int32_t> tokens = some_tokens(kLensBatch * kLensLength, model.vocab_size);
    const LensNumbers lens = lens_of(model, weights, tokens, kLensBatch);
    double loss = 0;
    for (int64_t b = 0; b < kLensBatch; ++b) {
        const std::vector<int32_t> row(tokens.begin() + b * kLensLength,
                                       tokens.begin() + (b + 1) * kLensLength);
        loss += own_loss(forward_logits(model, weights, row), row, model.vocab_size) / kLensBatch;
    }
    EXPECT_EQ(lens.loss.shape, Shape{model.n_layer + 1});
    EXPECT_NEAR(lens.loss.at({model.n_layer}), loss, 1e-11 * (1 + loss));
    EXPECT_NEAR(lens.kl.at({model.n_layer}), 0, 1e-12);
    for (int64_t l = 0; l < model.n_layer; ++l) EXPECT_GT(lens.kl.at({l}), 0);
}

INSTANTIATE_TEST_SUITE_P(Every, LensOf, testing::ValuesIn(architectures_to_test()),
                         [](const auto& tested) { return tested.param.name; });

class ImageLensOf : public testing::TestWithParam<Architecture> {};

/// Logits of a batch as evaluation has them, [batch_size, n_class].
std::vector<double> class_logits(const ModelConfig& model, const Weights& weights,
                                 const Batch& batch) {
    const auto device = make_cpu_device();
    InferenceGraph inference =
        build_inference_graph(model, DType::kF64, batch.batch_size(), model.n_position());
    const auto executor = device->prepare(inference.graph);
    write_weights(*executor, inference.parameters, weights);
    write_batch(*executor, {inference.input}, batch);
    executor->run(Phase::kForward, {});
    std::vector<double> logits(static_cast<size_t>(batch.batch_size() * model.vocab_size));
    executor->read(inference.logits, std::as_writable_bytes(std::span(logits)));
    return logits;
}

TEST_P(ImageLensOf, TheLastLayerIsTheModelItself) {
    const ModelConfig model = small_image_job(GetParam().keys).model;
    const Weights weights = random_weights(model);
    const MadeWeights made(model, [&](const std::string& name) { return weights.at(name); });
    constexpr int64_t kImages = 5;
    Batch batch = Batch::of_images(kImages, model.n_patch(), model.patch_width());
    BrightPatch(model.vocab_size).train_batch(1, 0, batch);
    const auto device = make_cpu_device();
    ProbeTaps taps;
    taps.streams = true;
    ProbePass pass(model, {kImages, model.n_position(), DType::kF64}, taps, *device);
    pass.load(made);
    pass.run(batch);
    LensSum sum(made);
    sum.add(pass, batch.targets());
    const LensNumbers lens = sum.mean();

    const std::vector<double> logits = class_logits(model, weights, batch);
    double loss = 0, right = 0;
    for (int64_t b = 0; b < kImages; ++b) {
        const double* row = logits.data() + b * model.vocab_size;
        double total = 0;
        for (int64_t c = 0; c < model.vocab_size; ++c) total += std::exp(row[c]);
        const int32_t target = batch.targets()[static_cast<size_t>(b)];
        loss += (std::log(total) - row[target]) / kImages;
        right += std::max_element(row, row + model.vocab_size) - row == target ? 1.0 / kImages : 0;
    }
    EXPECT_NEAR(lens.loss.at({model.n_layer}), loss, 1e-11 * (1 + loss));
    EXPECT_NEAR(lens.accuracy.at({model.n_layer}), right, 1e-12);
    EXPECT_NEAR(lens.kl.at({model.n_layer}), 0, 1e-12);
    for (int64_t l = 0; l < model.n_layer; ++l) EXPECT_GT(lens.kl.at({l}), 0);
    EXPECT_EQ(lens.top_probs.shape, (Shape{model.n_layer + 1, 1, model.vocab_size}));
}

INSTANTIATE_TEST_SUITE_P(Every, ImageLensOf, testing::ValuesIn(image_architectures_to_test()),
                         [](const auto& tested) { return tested.param.name; });

TEST(Lens, BestTokensAreThoseOfTheModelInOrder) {
    const ModelConfig model = small_job("{}").model;
    const Weights weights = random_weights(model);
    const std::vector<int32_t> tokens = some_tokens(kLensLength, model.vocab_size);
    const LensNumbers lens = lens_of(model, weights, tokens, 1);
    const std::vector<double> logits = forward_logits(model, weights, tokens);
    ASSERT_EQ(lens.top_probs.shape, (Shape{model.n_layer + 1, kLensLength, 5}));
    int64_t hits = 0;
    for (int64_t i = 0; i < kLensLength; ++i) {
        const double* row = logits.data() + i * model.vocab_size;
        double sum = 0;
        for (int64_t v = 0; v < model.vocab_size; ++v) sum += std::exp(row[v]);
        std::vector<int32_t> order(static_cast<size_t>(model.vocab_size));
        for (size_t v = 0; v < order.size(); ++v) order[v] = static_cast<int32_t>(v);
        std::sort(order.begin(), order.end(), [&](int a, int b) { return row[a] > row[b]; });
        for (int64_t r = 0; r < 5; ++r) {
            const int32_t id = order[static_cast<size_t>(r)];
            const auto at = static_cast<size_t>((model.n_layer * kLensLength + i) * 5 + r);
            EXPECT_EQ(lens.top_ids[at], id);
            EXPECT_NEAR(lens.top_probs.at({model.n_layer, i, r}), std::exp(row[id]) / sum, 1e-12);
        }
        if (i + 1 < kLensLength && order[0] == tokens[static_cast<size_t>(i) + 1]) ++hits;
    }
    EXPECT_NEAR(lens.accuracy.at({model.n_layer}), static_cast<double>(hits) / (kLensLength - 1),
                1e-15);
}

TEST(Lens, SeesAModelThatIsSureFromTheEmbeddingOn) {
    const ModelConfig model = small_job(R"({"norm_f":"none","pos":"none","tie":false})").model;
    Weights weights = random_weights(model);
    for (auto& [name, values] : weights)
        if (name.ends_with("attn.o.weight") || name.ends_with("mlp.down.weight"))
            std::fill(values.begin(), values.end(), 0.0);
    // Token t is the unit vector t mod 8; the head sends it to t + 1.
    std::fill(weights.at("wte.weight").begin(), weights.at("wte.weight").end(), 0.0);
    std::fill(weights.at("lm_head.weight").begin(), weights.at("lm_head.weight").end(), 0.0);
    for (size_t t = 0; t < 7; ++t) {
        weights.at("wte.weight")[t * 8 + t] = 1;
        weights.at("lm_head.weight")[t * static_cast<size_t>(model.vocab_size) + t + 1] = 50;
    }
    const LensNumbers lens = lens_of(model, weights, {0, 1, 2, 3, 4, 5}, 1);
    for (int64_t l = 0; l <= model.n_layer; ++l) {
        EXPECT_NEAR(lens.loss.at({l}), 0, 1e-12);
        EXPECT_EQ(lens.accuracy.at({l}), 1);
        EXPECT_EQ(lens.kl.at({l}), 0);
    }
}

TEST(Lens, OfSingleTokensHasNoLossButATop) {
    const ModelConfig model = small_job("{}").model;
    const LensNumbers lens = lens_of(model, random_weights(model), {3}, 1);
    EXPECT_TRUE(std::isnan(lens.loss.at({0})));
    EXPECT_GT(lens.top_probs.at({0, 0, 0}), 0);
}

TEST(Lens, OfADivergedModelIsNoNumberEverywhere) {
    const ModelConfig model = small_job("{}").model;
    Weights weights = random_weights(model);
    weights.at("wte.weight")[0] = std::nan("");
    const LensNumbers lens = lens_of(model, weights, {1, 0, 2}, 1);
    for (int64_t l = 0; l <= model.n_layer; ++l) EXPECT_TRUE(std::isnan(lens.kl.at({l}))) << l;
}

TEST(Lens, IsTheSameInOnePassAsInTwo) {
    const ModelConfig model = small_job("{}").model;
    const Weights weights = random_weights(model);
    const std::vector<int32_t> tokens = some_tokens(2 * kLensLength, model.vocab_size);
    ProbeTaps taps;
    taps.streams = true;
    LensSum sum(MadeWeights(model, [&](const std::string& name) { return weights.at(name); }));
    for (const int64_t first : {int64_t{0}, kLensLength}) {
        const std::vector<int32_t> row(tokens.begin() + first,
                                       tokens.begin() + first + kLensLength);
        const Batch asked = next_token_batch(row, kLensLength);
        sum.add(probe_run(model, taps, weights, row, 1), asked.targets());
    }
    const LensNumbers two = sum.mean(), one = lens_of(model, weights, tokens, 2);
    for (int64_t l = 0; l <= model.n_layer; ++l)
        EXPECT_NEAR(two.loss.at({l}), one.loss.at({l}), 1e-13);
    EXPECT_EQ(two.top_ids, one.top_ids);
}

}  // namespace
}  // namespace headroom
