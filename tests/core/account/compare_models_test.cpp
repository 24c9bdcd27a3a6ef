#include "core/account/compare_models.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/config/job_json.h"
#include "tests/support/model_configs.h"

namespace headroom {
namespace {

const ChangedKey* find_key(const ModelDifference& d, const std::string& key) {
    const auto found =
        std::find_if(d.keys.begin(), d.keys.end(), [&](const auto& k) { return k.key == key; });
    return found == d.keys.end() ? nullptr : &*found;
}

CountPair role(const ModelDifference& d, const std::string& name) {
    for (const RoleDifference& entry : d.roles)
        if (entry.role == name) return entry.params;
    return {};
}

TEST(CompareModels, AModelDoesNotDifferFromItself) {
    const ModelDifference d = compare_models(preset("gpt2-124m"), preset("gpt2-124m"));
    EXPECT_TRUE(d.keys.empty());
    EXPECT_TRUE(d.outside_roles.empty());
    EXPECT_EQ(d.params_total.difference(), 0);
    for (const LayerDifference& layer : d.layers) EXPECT_TRUE(layer.roles.empty());
}

TEST(CompareModels, TellsWhereParametersMoved) {
    const ModelDifference d =
        compare_models(preset("gpt2-124m-wq-identity-large-mlp"), preset("gpt2-124m"));
    constexpr int64_t kMatrix = 768 * 768;
    EXPECT_EQ(d.params_total.difference(), 0);
    EXPECT_EQ(role(d, "query"), (CountPair{0, 12 * kMatrix}));
    EXPECT_EQ(role(d, "mlp").difference(), 12 * kMatrix);
    ASSERT_EQ(d.layers.size(), 12u);
    ASSERT_EQ(d.layers[7].roles.size(), 2u);
    EXPECT_EQ(d.layers[7].roles[0].role, "query");
    EXPECT_EQ(d.layers[7].roles[0].params.difference(), -kMatrix);
    EXPECT_EQ(d.layers[7].roles[1].params.difference(), kMatrix);
    EXPECT_EQ(d.layers[7].params.difference(), 0);
}

TEST(CompareModels, KeysThatFollowFromOthersAreMarked) {
    const ModelDifference d = compare_models(preset("gpt2-124m-wq-identity"), preset("gpt2-124m"));
    ASSERT_NE(find_key(d, "arch"), nullptr);
    EXPECT_FALSE(find_key(d, "arch")->implied);
    ASSERT_NE(find_key(d, "attn_scale"), nullptr);
    EXPECT_EQ(find_key(d, "attn_scale")->model, "0.0625");
    EXPECT_EQ(find_key(d, "attn_scale")->baseline, "0.125");
    EXPECT_TRUE(find_key(d, "attn_scale")->implied);
    EXPECT_TRUE(find_key(d, "query")->implied);
    EXPECT_EQ(find_key(d, "query")->model, "identity");
    EXPECT_EQ(d.keys.size(), 3u);
}

TEST(CompareModels, AKeyAtItsDefaultIsNotImpliedByOthers) {
    const ModelDifference d = compare_models(model_of("{}"), model_of(R"({"n_layer": 6})"));
    ASSERT_NE(find_key(d, "n_layer"), nullptr);
    EXPECT_FALSE(find_key(d, "n_layer")->implied);
    EXPECT_TRUE(find_key(d, "yoco_split")->implied);
}

TEST(CompareModels, ComparesHeadsAndCacheByLayer) {
    const ModelDifference d = compare_models(preset("gpt2-124m-skipv1"), preset("gpt2-124m"),
                                             {.cache_dtype = DType::kF32});
    EXPECT_EQ(d.layers[0].own_value_heads, (CountPair{12, 12}));
    EXPECT_EQ(d.layers[5].own_value_heads, (CountPair{6, 12}));
    EXPECT_EQ(d.layers[5].cache_numbers, (CountPair{768 + 384, 2 * 768}));
    EXPECT_EQ(d.cache_numbers.difference(), -11 * 6 * 64);
    EXPECT_EQ(d.cache_bytes.difference(), -11 * 6 * 64 * 4);
}

TEST(CompareModels, ALayerThatOneModelLacksCountsZeroThere) {
    const ModelDifference d =
        compare_models(model_of(R"({"n_layer": 3})"), model_of(R"({"n_layer": 2})"));
    ASSERT_EQ(d.layers.size(), 3u);
    EXPECT_GT(d.layers[2].params.model, 0);
    EXPECT_EQ(d.layers[2].params.baseline, 0);
    EXPECT_EQ(d.layers[2].own_key_heads, (CountPair{12, 0}));
    EXPECT_EQ(d.params_total.difference(), d.layers[2].params.model);
}

TEST(CompareModels, FlopsAreCountedOverTheSameLength) {
    const ModelConfig longer = model_of(R"({"block_size": 2048})");
    const ModelDifference d = compare_models(longer, model_of("{}"));
    EXPECT_EQ(d.seq_len, 1024);
    EXPECT_EQ(d.flops_training.difference(), 0);
    EXPECT_EQ(d.outside_roles.size(), 1u);
    EXPECT_EQ(d.outside_roles[0].role, "position");
}

TEST(CompareModels, JsonHoldsEveryPairWithItsDifference) {
    const nlohmann::json d = to_json(
        compare_models(preset("gpt2-124m-wq-identity"), preset("gpt2-124m"), {.seq_len = 128}));
    EXPECT_EQ(d["params_total"]["difference"], -12 * 768 * 768);
    EXPECT_EQ(d["params_by_role"]["query"]["baseline"], 12 * 768 * 768);
    EXPECT_EQ(d["layers"][3]["params_by_role"]["query"]["model"], 0);
    EXPECT_EQ(d["changed_keys"][0]["key"], "model.arch");
    EXPECT_EQ(d["seq_len"], 128);
    EXPECT_EQ(d["kv_dtype"], "bfloat16");
}

}  // namespace
}  // namespace headroom
