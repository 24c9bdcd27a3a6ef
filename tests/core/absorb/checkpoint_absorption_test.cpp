#include "core/absorb/checkpoint_absorption.h"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/decode/loaded_model.h"
#include "core/device/device.h"
#include "core/probe/mixing_probe.h"
#include "core/weights/checkpoint_weights.h"
#include "core/weights/save_weights.h"
#include "tests/support/random_checkpoint.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CheckpointAbsorption : public testing::Test {
  protected:
    CheckpointWeights open(const nlohmann::json& keys) const {
        write_random_checkpoint(folder_ / "model.safetensors", keys);
        return CheckpointWeights::open(folder_ / "model.safetensors");
    }
    TemporaryFolder folder_;
};

TEST_F(CheckpointAbsorption, AsksTheMlpOfEveryLayerThatHasASkip) {
    const CheckpointWeights plain = open({{"norm", "none"}});
    EXPECT_THAT(layers_with_mlp_skip(plain.config()), ElementsAre(0, 1));
    const LayerAbsorption layer = decide_layer(plain, 1);
    EXPECT_EQ(layer.answer.decision, Decision::kNo);
    EXPECT_EQ(layer.answer.coefficients.size(), 32u);
    EXPECT_DOUBLE_EQ(layer.answer.tolerance, 1e-5);  // weights in float32

    const CheckpointWeights bare = open({{"norm", "none"}, {"skip_mlp", false}});
    EXPECT_THAT(layers_with_mlp_skip(bare.config()), IsEmpty());
    EXPECT_THROW(decide_layer(bare, 0), UserError);
    EXPECT_THROW(decide_layer(plain, 2), UserError);
}

TEST_F(CheckpointAbsorption, SaysThatANormStandsBetween) {
    for (const char* norm : {"layernorm", "rmsnorm", "dyt"}) {
        const LayerAbsorption layer = decide_layer(open({{"norm", norm}}), 0);
        EXPECT_EQ(layer.answer.decision, Decision::kImpossible);
        EXPECT_EQ(layer.mlp_alone, Decision::kNo);
        EXPECT_THAT(layer.answer.reason, HasSubstr("norm"));
        EXPECT_GT(*layer.answer.relative_residual, 0);
    }
}

TEST_F(CheckpointAbsorption, PassesOverLayersOfExperts) {
    const CheckpointWeights mixed = open({{"norm", "none"}, {"mlp_experts", {1, 3}}});
    EXPECT_THAT(layers_with_mlp_skip(mixed.config()), ElementsAre(0));
    EXPECT_EQ(decide_layer(mixed, 0).answer.decision, Decision::kNo);
    try {
        decide_layer(mixed, 1);
        ADD_FAILURE() << "experts are no MLP";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr("layer 1 has 3 experts"));
    }
}

TEST_F(CheckpointAbsorption, RefusesStreamsThatTheMlpCannotReach) {
    for (const char* kind : {"hc", "mhc"}) {
        for (const char* topology : {"serial", "parallel"}) {
            const CheckpointWeights weights =
                open({{"norm", "none"}, {"hyper", kind}, {"n_stream", 3}, {"topology", topology}});
            const LayerAbsorption layer = decide_layer(weights, 1);
            EXPECT_EQ(layer.answer.decision, Decision::kNo) << topology;
            EXPECT_THAT(layer.answer.theorem, HasSubstr("Lemma 4")) << topology;
        }
    }
}

TEST_F(CheckpointAbsorption, OfOneStreamTheSkipIsItsShareOfWhatTheMlpAdds) {
    // S <- r S + b MLP(a S): the MLP would have to take in r / (a b) of what it reads.
    const CheckpointWeights weights = open({{"norm", "none"}, {"hyper", "mhc"}, {"n_stream", 1}});
    const NumberArrays mixing = mixing_weights(weights);
    const auto number = [&](const char* name) { return mixing.at(name).values[1]; };
    const double skip = number("hc_mlp/r") / (number("hc_mlp/a") * number("hc_mlp/b"));
    ASSERT_GT(std::abs(skip - 1 / skip), 0.01);
    const Absorption alone = decide_absorption(layer_mlp(weights, 1), {});
    EXPECT_NEAR(*decide_layer(weights, 1).answer.residual, skip * *alone.residual, 1e-9);
}

TEST_F(CheckpointAbsorption, TakesASkipOutAndKeepsTheLogits) {
    const auto logits = [](const WeightSource& weights) {
        const auto device = make_cpu_device();
        LoadedModel model(weights, DType::kF64, 6, *device);
        const std::vector<int32_t> tokens{3, 1, 4, 1, 5, 9};
        return model.logits<double>(tokens);
    };
    const std::vector<nlohmann::json> models = {
        {{"norm", "none"}, {"bias", true}, {"skip_attn", false}},
        {{"norm", "none"}, {"mlp", "relu"}},
        {{"norm", "none"}, {"topology", "parallel"}, {"mlp", "silu"}},
        {{"norm", "none"}, {"share_layers", true}}};
    for (const nlohmann::json& keys : models) {
        const auto source = std::make_shared<const CheckpointWeights>(open(keys));
        const auto made = with_absorbable_mlps(source, {0, 1});
        save_weights(*made, folder_ / "made.safetensors", {.type = StoredType::kF64});
        const auto stored = open_weights(folder_ / "made.safetensors");
        ASSERT_EQ(decide_layer(*stored, 1).answer.decision, Decision::kYes) << keys;
        const auto bare = without_mlp_skips(stored, {1});
        EXPECT_THAT(layers_with_mlp_skip(bare->config()), keys.contains("share_layers")
                                                              ? std::vector<int64_t>{}
                                                              : std::vector<int64_t>{0});
        save_weights(*bare, folder_ / "bare.safetensors");
        const std::vector<double> before = logits(*stored),
                                  after = logits(*open_weights(folder_ / "bare.safetensors"));
        double spread = 0;
        for (const double x : before) spread = std::max(spread, std::abs(x));
        for (size_t i = 0; i < before.size(); ++i)
            ASSERT_NEAR(before[i], after[i], 1e-10 * spread) << keys;
        EXPECT_THROW(without_mlp_skips(bare, {1}), UserError);
    }
    EXPECT_THROW(with_absorbable_mlps(std::make_shared<const CheckpointWeights>(open({})), {0}),
                 UserError);
}

TEST_F(CheckpointAbsorption, StacksOfGatedBlocksKeepTheIdentityNearZero) {
    const CheckpointWeights weights = open({{"base", "llama"}, {"norm", "none"}});
    EXPECT_EQ(decide_layer(weights, 0).answer.decision, Decision::kImpossible);
    const Witness depth = stack_witness({layer_mlp(weights, 0), layer_mlp(weights, 1)});
    EXPECT_NEAR(depth.with_skip.back(), 1, 1e-4);
    EXPECT_LT(depth.without_skip.back(), 1e-4);
}

}  // namespace
}  // namespace headroom
