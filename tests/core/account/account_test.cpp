// What parameters, FLOPs and cache of every mechanism follow from. The papers' own numbers are in
// published_counts_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/account/describe.h"
#include "core/account/flops.h"
#include "core/account/kv_cache.h"
#include "core/account/parameter_count.h"
#include "core/config/architectures.h"
#include "core/config/job_json.h"
#include "core/model/parameters.h"
#include "tests/support/model_configs.h"

namespace headroom {
namespace {

int64_t total(const ModelConfig& model) {
    return count_parameters(model).total;
}
int64_t numbers(const ModelConfig& model) {
    return count_cache(model).numbers_per_token;
}

TEST(ParameterCount, NanoGptPrintsTheCountWithoutPositionsOnly) {
    EXPECT_EQ(count_parameters(preset("gpt2-124m")).without_positions, 124'373'760 - 1024 * 768);
}

TEST(ParameterCount, RolesAndLayersAddUpToTheTotal) {
    for (const char* text :
         {"{}", R"({"arch": "skipv1"})", R"({"arch": "skipv1_mla"})", R"({"arch": "denseformer"})",
          R"({"arch": "parallel"})", R"({"norm": "dyt", "query": "nonlinear"})"}) {
        const ParameterCount count = count_parameters(model_of(text));
        int64_t by_role = 0, in_layers = 0;
        for (const auto& [role, n] : count.by_role) by_role += n;
        for (const int64_t n : count.by_layer) in_layers += n;
        EXPECT_EQ(by_role, count.total) << text;
        EXPECT_LT(in_layers, count.total) << text;
        EXPECT_GT(count.by_layer[0], 0) << text;
    }
}

TEST(ParameterCount, SkipV1SavesItsInjectedHeadsInEveryLayerButTheFirst) {
    const int64_t base = total(preset("gpt2-124m"));
    EXPECT_EQ(base - total(preset("gpt2-124m-skipv1")), 11 * 6 * 64 * 768);
    EXPECT_EQ(base - total(model_of(R"({"arch": "skipv1", "skip_layer": 0})")), 11 * 6 * 64 * 768);
    EXPECT_EQ(base - total(model_of(R"({"arch": "skipv1", "skip_ratio": 0.25})")),
              11 * 3 * 64 * 768);
}

TEST(ParameterCount, DenseFormerAddsItsAveragingWeights) {
    EXPECT_EQ(total(model_of(R"({"arch": "denseformer"})")) - total(model_of("{}")), 12 * 15 / 2);
}

TEST(ParameterCount, NonlinearQueryHasTwoHalfWidthMatricesAndTwoGains) {
    const int64_t without = total(model_of(R"({"query": "identity"})"));
    EXPECT_EQ(total(model_of(R"({"query": "nonlinear"})")) - without, 12 * (768 * 768 + 2 * 768));
}

TEST(ParameterCount, EveryTensorOfEveryArchitectureIsCountedOnce) {
    for (const ArchitecturePreset& preset : architecture_presets()) {
        const std::string& arch = preset.name;
        const ModelConfig model =
            parse_model_config({{"arch", arch}, {"n_layer", 4}, {"bias", true}}, arch);
        const ParameterCount count = count_parameters(model);
        int64_t tensors = 0, by_role = 0, in_layers = 0, outside = 0;
        for (const ParameterSpec& spec : parameter_specs(model)) {
            tensors += spec.count();
            if (spec.layer < 0) outside += spec.count();
        }
        for (const auto& [name, n] : count.by_role) by_role += n;
        for (const int64_t n : count.by_layer) in_layers += n;
        EXPECT_EQ(count.total, tensors) << arch;
        EXPECT_EQ(by_role, tensors) << arch;
        EXPECT_EQ(in_layers + outside, tensors) << arch;
    }
}

TEST(ParameterCount, BiasesStandBesideEveryWeight) {
    const int64_t biases = total(model_of(R"({"bias": true})")) - total(model_of("{}"));
    // Per layer two norms, q, k, v and o, up and down; and the final norm.
    EXPECT_EQ(biases, 12 * (2 * 768 + 4 * 768 + 3072 + 768) + 768);
    const int64_t llama = total(model_of(R"({"arch": "llama", "bias": true})")) -
                          total(model_of(R"({"arch": "llama"})"));
    EXPECT_EQ(llama, 12 * (4 * 768 + 2 * 3072 + 768));  // RMSNorm has none
}

TEST(ParameterCount, HyperConnectionsAddTheirWeightsAroundEveryBranch) {
    const int64_t added =
        total(model_of(R"({"hyper": "mhc", "n_stream": 3})")) - total(model_of("{}"));
    EXPECT_EQ(added, 12 * 2 * (3 + 3 + 9));
    const int64_t parallel =
        total(model_of(R"({"hyper": "hc", "n_stream": 4, "topology": "parallel"})")) -
        total(model_of(R"({"topology": "parallel"})"));
    EXPECT_EQ(parallel, 12 * (4 + 4 + 16));
}

TEST(ParameterCount, ALearnedMixtureAddsOneNumberInEveryLayerButTheFirst) {
    EXPECT_EQ(total(model_of(R"({"arch": "resformer", "res_lambda": "learned"})")) -
                  total(model_of(R"({"arch": "resformer"})")),
              11);
}

TEST(ParameterCount, ATableOfOnesOwnMayLearnItsMixture) {
    const ModelConfig model = model_of(R"({"n_layer": 3, "n_head": 1, "d_model": 8,
        "wiring": {"keys": ["own", "own", [[[2, 0, "lambda"], [0, 0, "1-lambda"]]]]}})");
    EXPECT_EQ(total(model) - total(model_of(R"({"n_layer": 3, "n_head": 1, "d_model": 8})")), 1);
    EXPECT_EQ(numbers(model), 3 * 2 * 8);  // what is mixed is stored as projected
}

TEST(ParameterCount, ATableOfOnesOwnOwnsWhatItsLayersProject) {
    // Layer 1 reads its second key from layer 0 and both values half from there.
    const ModelConfig model = model_of(R"({"n_layer": 2, "n_head": 2, "d_model": 8,
        "wiring": {"keys": ["own", [[[1, 0]], [[0, 1]]]],
                   "values": ["own", [[[0, 0, 0.5], [1, 0, 0.5]], [[0, 1, 0.5], [1, 1, 0.5]]]]}})");
    const ModelConfig own = model_of(R"({"n_layer": 2, "n_head": 2, "d_model": 8})");
    EXPECT_EQ(total(own) - total(model), 8 * 4);
    EXPECT_EQ(numbers(own) - numbers(model), 4);
}

// d 64, f 256, 8 experts of which 2: 2 d f numbers each, and a router of 8 d.
TEST(ParameterCount, OfExpertsATokenUsesTheRouterAndThoseItIsGivenTo) {
    const std::string sizes = R"("n_layer": 3, "n_head": 4, "d_model": 64, "vocab_size": 100,
                                 "block_size": 32)";
    const ParameterCount plain = count_parameters(model_of("{" + sizes + "}"));
    EXPECT_EQ(plain.total, 132 * 64 + 3 * (12 * 64 * 64 + 128) + 64);
    EXPECT_EQ(plain.active, plain.total);
    const ParameterCount all =
        count_parameters(model_of("{" + sizes + R"(, "mlp_experts": 8, "mlp_top_k": 2})"));
    EXPECT_EQ(all.total, plain.total + 3 * (7 * 2 * 64 * 256 + 8 * 64));
    EXPECT_EQ(all.active, plain.total + 3 * (1 * 2 * 64 * 256 + 8 * 64));
    EXPECT_EQ(all.non_embedding, all.total - 132 * 64);
    const ParameterCount some = count_parameters(
        model_of("{" + sizes + R"(, "mlp": "swiglu", "mlp_experts": [1, 4, 1], "mlp_top_k": 1})"));
    EXPECT_EQ(some.total, plain.total + (3 + 3 * 3) * 64 * 256 + 4 * 64);
    EXPECT_EQ(some.active, plain.total + 3 * 64 * 256 + 4 * 64);
    EXPECT_EQ(
        count_parameters(model_of("{" + sizes + R"(, "mlp_experts": 1, "mlp_top_k": 1})")).by_role,
        plain.by_role);
}

TEST(FlopCount, OfExpertsCountsThoseOfOneToken) {
    const auto flops = [](const std::string& keys) {
        return count_flops(
            model_of(R"({"n_layer": 3, "n_head": 4, "d_model": 64, "vocab_size": 100)" + keys +
                     "}"),
            32);
    };
    const FlopCount plain = flops(""), mixed = flops(R"(, "mlp_experts": 8, "mlp_top_k": 2)");
    EXPECT_EQ(plain.product_parameters, 100 * 64 + 3 * 12 * 64 * 64);
    EXPECT_EQ(mixed.product_parameters, plain.product_parameters + 3 * (2 * 64 * 256 + 8 * 64));
    EXPECT_EQ(mixed.forward_attention, plain.forward_attention);
    EXPECT_EQ(flops(R"(, "mlp_experts": 64, "mlp_top_k": 1)").product_parameters,
              plain.product_parameters + 3 * 64 * 64);
}

TEST(FlopCount, FollowsTheConventionalFormula) {
    const ModelConfig model = preset("gpt2-124m");
    const FlopCount flops = count_flops(model, 1024);
    // Everything but wte, wpe and the gains enters products; the tied classifier does too.
    const int64_t n = 84'953'856 - 25 * 768 + 50304 * 768;
    EXPECT_EQ(flops.product_parameters, n);
    EXPECT_EQ(flops.training(), 6 * n + 12 * 12 * 768 * 1024);
    EXPECT_EQ(flops.forward() * 3, flops.training());
}

TEST(FlopCount, AnUntiedClassifierCountsOnceToo) {
    const ModelConfig tied = model_of("{}"), untied = model_of(R"({"tie": false})");
    EXPECT_EQ(count_flops(tied, 8).training(), count_flops(untied, 8).training());
}

TEST(FlopCount, SharedLayersCountForEveryUse) {
    const ModelConfig shared = model_of(R"({"arch": "no_norm", "share_layers": true})");
    const ModelConfig apart = model_of(R"({"arch": "no_norm"})");
    EXPECT_LT(total(shared), total(apart));
    EXPECT_EQ(count_flops(shared, 8).training(), count_flops(apart, 8).training());
}

TEST(CacheCount, NumbersPerTokenOfEveryVariant) {
    constexpr int64_t kAll = 12 * 768;  // keys, or values, of every layer
    EXPECT_EQ(numbers(model_of("{}")), 2 * kAll);
    for (const char* arch : {"wq_identity", "resformer", "denseformer"})
        EXPECT_EQ(numbers(parse_model_config({{"arch", arch}}, "")), 2 * kAll) << arch;
    EXPECT_EQ(numbers(model_of(R"({"key": "identity", "value": "identity"})")), 2 * kAll);
    const int64_t skipped = (12 + 11 * 6) * 64;
    EXPECT_EQ(numbers(model_of(R"({"arch": "skipv1"})")), kAll + skipped);
    EXPECT_EQ(numbers(model_of(R"({"arch": "skipv1", "skip_layer": 0})")), kAll + skipped);
    for (const char* inject : {"pool", "dynamic", "oddeven"})
        EXPECT_EQ(numbers(parse_model_config({{"arch", "skipv1"}, {"inject", inject}}, "")),
                  kAll + skipped)
            << inject;
    EXPECT_EQ(numbers(model_of(R"({"arch": "skipv1", "skip_layer": 3})")),
              kAll + (3 * 12 + 9 * 6) * 64);
    EXPECT_EQ(numbers(model_of(R"({"arch": "svformer"})")), kAll + 768);
    EXPECT_EQ(numbers(model_of(R"({"arch": "skipkv1"})")), 2 * skipped);
    EXPECT_EQ(numbers(model_of(R"({"arch": "yoco"})")), kAll);
    EXPECT_EQ(numbers(model_of(R"({"arch": "yoco_v"})")), kAll + kAll / 2);
    EXPECT_EQ(numbers(model_of(R"({"arch": "cla", "cla_factor": 5})")), 2 * 3 * 768);
    EXPECT_EQ(numbers(model_of(R"({"arch": "cla_v"})")), kAll + kAll / 2);
    EXPECT_EQ(numbers(model_of(R"({"arch": "skipv1_yoco"})")), kAll / 2 + skipped);
    EXPECT_EQ(numbers(model_of(R"({"arch": "mqa"})")), 2 * 12 * 64);
    EXPECT_EQ(numbers(model_of(R"({"arch": "mla"})")), 12 * (256 + 32));
    EXPECT_EQ(numbers(model_of(R"({"arch": "skipv1_mla"})")), 288 + 11 * (128 + 32));
}

TEST(FlopCount, BiasesAndMixturesAreNoProducts) {
    const int64_t plain = count_flops(model_of("{}"), 64).training();
    for (const char* text :
         {R"({"bias": true})", R"({"arch": "denseformer"})", R"({"hyper": "hc"})",
          R"({"arch": "resformer", "res_lambda": "learned"})", R"({"causal": false})"})
        EXPECT_EQ(count_flops(model_of(text), 64).training(), plain) << text;
}

TEST(FlopCount, LatentAttentionIsCountedAtItsOwnWidths) {
    const ModelConfig model = model_of(R"({"arch": "mla", "n_layer": 1, "n_head": 2, "d_model": 16,
        "mla": {"d_c": 6, "d_r": 2, "d_nope": 4, "d_v": 3}, "d_ff": 10, "vocab_size": 11})");
    const int64_t n = 16 * 2 * (4 + 2) + 16 * 6 + 16 * 2 + 6 * 2 * 4 + 6 * 2 * 3 + 2 * 3 * 16 +
                      3 * 16 * 10 + 16 * 11;
    EXPECT_EQ(count_flops(model, 5).product_parameters, n);
    EXPECT_EQ(count_flops(model, 5).forward(), 2 * n + 2 * 5 * 2 * (4 + 2 + 3));
}

TEST(CacheCount, AnEncoderKeepsNothing) {
    const CacheCount count = count_cache(model_of(R"({"causal": false})"));
    EXPECT_FALSE(count.decodable);
    EXPECT_EQ(count.numbers_per_token, 0);
    EXPECT_EQ(count.layers.size(), 12u);
    EXPECT_TRUE(count_cache(model_of("{}")).decodable);
}

TEST(CacheCount, WithoutSharingIsWhatEveryLayerAloneWouldKeep) {
    for (const char* own : {"{}", R"({"arch": "mla"})", R"({"n_kv_head": 4})"}) {
        const CacheCount count = count_cache(model_of(own));
        EXPECT_EQ(count.unshared_numbers_per_token, count.numbers_per_token) << own;
    }
    const CacheCount shared = count_cache(model_of(R"({"arch": "skipv1"})"));
    EXPECT_EQ(shared.unshared_numbers_per_token, numbers(model_of("{}")));
}

TEST(CacheCount, LayersThatShareWeightsDoNotShareTheirCache) {
    EXPECT_EQ(numbers(model_of(R"({"arch": "no_norm", "share_layers": true})")), 2 * 12 * 768);
}

TEST(CacheCount, NumbersAreOfAnySize) {
    const CacheCount count = count_cache(model_of("{}"));
    EXPECT_EQ(count.bytes_per_token(DType::kF32), 4 * 2 * 12 * 768);
    EXPECT_EQ(count.bytes_per_token(DType::kBF16), 2 * 2 * 12 * 768);
    EXPECT_EQ(count.bytes_per_token(DType::kF16), 2 * 2 * 12 * 768);
}

TEST(CacheCount, LatentCoordinatesNameTheirOwnerAndReaders) {
    const std::vector<LatentUse> uses =
        latent_uses(model_of(R"({"arch": "skipv1_mla", "n_layer": 4, "skip_layer": 2})").wiring);
    EXPECT_EQ(uses[0].own, 256);
    EXPECT_EQ(uses[0].readers, std::vector<int>{0});
    EXPECT_EQ(uses[1].readers, (std::vector<int>{1, 2, 3}));
    EXPECT_EQ(uses[3].own, 128);
    EXPECT_EQ(uses[3].shared, 128);
    EXPECT_EQ(uses[3].source, 1);
    EXPECT_EQ(uses[3].readers, std::vector<int>{3});
}

/// By head, as describe lists them: what the layers keep is what their heads are billed for, and
/// every source knows its readers.
TEST(Describe, HeadsAddUpToTheCacheInEveryArchitecture) {
    for (const ArchitecturePreset& preset : architecture_presets()) {
        const std::string& arch = preset.name;
        const nlohmann::json d =
            describe_model(parse_model_config({{"arch", arch}, {"n_layer", 4}}, arch),
                           {.cache_dtype = DType::kF32});
        int64_t all = 0;
        for (const nlohmann::json& layer : d["layers"]) {
            int64_t bytes = layer.contains("latent") ? layer["latent"]["bytes"].get<int64_t>() : 0;
            for (const char* table : {"keys", "values"})
                for (const nlohmann::json& head : layer[table]) {
                    bytes += head["bytes"].get<int64_t>();
                    for (const nlohmann::json& source : head["sources"]) {
                        const nlohmann::json& owner =
                            d["layers"][source[0].get<size_t>()][table][source[1].get<size_t>()];
                        const nlohmann::json reader{layer["layer"], head["head"]};
                        EXPECT_THAT(owner["readers"], testing::Contains(reader)) << arch;
                    }
                }
            EXPECT_EQ(bytes, layer["kv_bytes_per_token"]) << arch;
            all += bytes;
        }
        EXPECT_EQ(all, d["kv_bytes_per_token"]) << arch;
        EXPECT_EQ(d["kv_bytes_per_token_by_dtype"]["float16"], all / 2) << arch;
    }
}

TEST(Describe, AnEncoderSaysThatItKeepsNothing) {
    const nlohmann::json d = describe_model(model_of(R"({"causal": false})"), {});
    EXPECT_FALSE(d["kv_decodable"].get<bool>());
    EXPECT_EQ(d["kv_bytes_per_token"], 0);
    EXPECT_EQ(d["layers"][0]["values"][0]["bytes"], 0);
}

}  // namespace
}  // namespace headroom
