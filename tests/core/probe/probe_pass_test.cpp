#include "core/probe/probe_pass.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/probe/activation_names.h"
#include "core/probe/attention_map.h"
#include "tests/core/model/architectures.h"
#include "tests/core/model/forward_pass.h"
#include "tests/core/train/test_data.h"
#include "tests/support/made_weights.h"

namespace headroom {
namespace {

constexpr int64_t kPassBatch = 2, kPassLength = 6;

/// A pass over some tokens with random weights.
ProbePass run_pass(const ModelConfig& model, const ProbeTaps& taps) {
    const std::unique_ptr<Device> device = make_cpu_device();
    ProbePass pass(model, {kPassBatch, kPassLength, DType::kF64}, taps, *device);
    const Weights weights = random_weights(model);
    pass.load(MadeWeights(model, [&](const std::string& name) { return weights.at(name); }));
    pass.run(some_tokens(kPassBatch * kPassLength, model.vocab_size));
    return pass;
}

/// P V of one head, from the map and the values that the pass kept.
std::vector<double> weighted_values(const ProbePass& pass, int layer, int head, int64_t b) {
    const AttentionMap map(pass, layer, head, b);
    const TokenMatrix v = pass.head(layer, head, HeadPart::kValue, b);
    std::vector<double> out(static_cast<size_t>(kPassLength * v.columns)), row(kPassLength);
    for (int64_t i = 0; i < kPassLength; ++i) {
        map.weights(i, row);
        for (int64_t j = 0; j < kPassLength; ++j)
            for (int64_t c = 0; c < v.columns; ++c)
                out[static_cast<size_t>(i * v.columns + c)] +=
                    row[static_cast<size_t>(j)] * v.row(j)[static_cast<size_t>(c)];
    }
    return out;
}

class ProbePassOf : public testing::TestWithParam<Architecture> {};

TEST_P(ProbePassOf, AttentionMapsTimesValuesGiveTheOutputsOfEveryHead) {
    const ModelConfig model = small_job(GetParam().keys).model;
    const ProbePass pass = run_pass(model, ProbeTaps::all_attention(model));
    for (int layer = 0; layer < model.n_layer; ++layer)
        for (int head = 0; head < model.n_head; ++head)
            for (int64_t b = 0; b < kPassBatch; ++b) {
                const TokenMatrix out = pass.head(layer, head, HeadPart::kOutput, b);
                const std::vector<double> expected = weighted_values(pass, layer, head, b);
                for (size_t i = 0; i < expected.size(); ++i)
                    ASSERT_NEAR(out.values[i], expected[i], 1e-11 * (1 + std::abs(expected[i])))
                        << "layer " << layer << " head " << head;
            }
}

TEST_P(ProbePassOf, StreamsAreOfTheModelsWidthAndDifferFromLayerToLayer) {
    const ModelConfig model = small_job(GetParam().keys).model;
    ProbeTaps taps;
    taps.streams = true;
    const ProbePass pass = run_pass(model, taps);
    TokenMatrix before = pass.stream(-1, 1);
    for (int layer = 0; layer < model.n_layer; ++layer) {
        const TokenMatrix after = pass.stream(layer, 1);
        EXPECT_EQ(after.rows, kPassLength);
        EXPECT_EQ(after.columns, model.d_model);
        EXPECT_NE(after.values, before.values) << layer;
        before = after;
    }
}

INSTANTIATE_TEST_SUITE_P(Every, ProbePassOf, testing::ValuesIn(architectures_to_test()),
                         [](const auto& tested) { return tested.param.name; });

TEST(ProbePass, AliasesReadTheSameValues) {
    const ModelConfig model = small_job("{}").model;
    ProbeTaps taps;
    taps.names = {"h.2.out", "blocks.1.hook_resid_mid", "blocks.3.hook_mlp_out"};
    const ProbePass pass = run_pass(model, taps);
    EXPECT_EQ(pass.read("blocks.2.hook_resid_post", 0).values, pass.read("h.2.out", 0).values);
    EXPECT_EQ(pass.read("h.1.mid", 1).values, pass.read("blocks.1.hook_resid_mid", 1).values);
    EXPECT_EQ(canonical_activation("h.3.attn.q.turned"), "h.3.attn.q.rotated") << "its old name";
}

TEST(ProbePass, AnUnknownActivationIsRefusedWithTheNearestName) {
    const ModelConfig model = small_job("{}").model;
    ProbeTaps taps;
    taps.names = {"h.2.atn.out"};
    try {
        run_pass(model, taps);
        FAIL() << "not refused";
    } catch (const UserError& error) {
        EXPECT_STREQ(error.what(),
                     "the model has no activation h.2.atn.out; did you mean \"h.2.attn.out\"?");
    }
}

TEST(ProbePass, TheLastStreamIsWhatTheFinalNormReads) {
    const ModelConfig model = small_job(R"({"norm_f": "none"})").model;
    ProbeTaps taps;
    taps.streams = true;
    const ProbePass pass = run_pass(model, taps);
    const Weights weights = random_weights(model);
    const std::vector<int32_t> tokens = some_tokens(kPassBatch * kPassLength, model.vocab_size);
    const std::vector<double> logits =
        forward_logits(model, weights, {tokens.begin(), tokens.begin() + kPassLength});
    const TokenMatrix last = pass.stream(static_cast<int>(model.n_layer) - 1, 0);
    const std::vector<double>& wte = weights.at("wte.weight");
    for (int64_t t = 0; t < kPassLength; ++t)
        for (int64_t v = 0; v < model.vocab_size; ++v) {
            double logit = 0;
            for (int64_t c = 0; c < model.d_model; ++c)
                logit += last.row(t)[static_cast<size_t>(c)] *
                         wte[static_cast<size_t>(v * model.d_model + c)];
            EXPECT_NEAR(logit, logits[static_cast<size_t>(t * model.vocab_size + v)], 1e-10);
        }
}

/// What the classifier reads: the class token alone, or the mean over all patches.
TEST(ProbePass, PooledStreamsAreThoseThatTheClassifierReads) {
    for (const char* pooling : {"class_token", "mean"}) {
        const Job job =
            image_job_that_learns(std::string(R"({"d_model": 16, "pooling": ")") + pooling + "\"}");
        const ModelConfig& model = job.model;
        const std::unique_ptr<Device> device = make_cpu_device();
        ProbeTaps taps;
        taps.streams = true;
        const int64_t length = model.n_position(), d = model.d_model;
        ProbePass pass(model, {kPassBatch, length, DType::kF64}, taps, *device);
        const Weights weights = random_weights(model);
        pass.load(MadeWeights(model, [&](const std::string& name) { return weights.at(name); }));
        Batch batch = Batch::of_images(kPassBatch, model.n_patch(), model.patch_width());
        BrightPatch(model.vocab_size).train_batch(1, 0, batch);
        pass.run(batch);
        std::vector<double> pooled(static_cast<size_t>(kPassBatch * d));
        pass.copy_pooled(1, std::span(pooled));
        const int64_t read = model.has_class_token() ? 1 : length;
        for (int64_t b = 0; b < kPassBatch; ++b)
            for (int64_t c = 0; c < d; ++c) {
                double mean = 0;
                for (int64_t t = 0; t < read; ++t)
                    mean += pass.stream(1, b).row(t)[static_cast<size_t>(c)] /
                            static_cast<double>(read);
                EXPECT_NEAR(pooled[static_cast<size_t>(b * d + c)], mean, 1e-12) << pooling;
            }
    }
}

}  // namespace
}  // namespace headroom
