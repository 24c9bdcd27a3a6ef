// Published counts, each with where it comes from. Karbevski & Mijoski = KM, Wu et al. = SV,
// Graef = GR.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/account/flops.h"
#include "core/account/kv_cache.h"
#include "core/account/parameter_count.h"
#include "core/config/job_json.h"

namespace headroom {
namespace {

ModelConfig model_of(const std::string& text) {
    return parse_model_config(nlohmann::json::parse(text), "");
}
ModelConfig preset(const std::string& name) {
    return parse_model_config({{"preset", name}}, "");
}
int64_t total(const ModelConfig& model) {
    return count_parameters(model).total;
}
int64_t numbers(const ModelConfig& model) {
    return count_cache(model).numbers_per_token;
}

/// SV's 355M LLaMA-style base with grouped heads, as llm-baselines builds it.
nlohmann::json sv_llama() {
    return {{"arch", "gqa"}, {"n_layer", 24}, {"n_head", 16},     {"d_model", 1024},
            {"d_ff", 2816},  {"tie", true},   {"norm_eps", 1e-5}, {"block_size", 1024}};
}
ModelConfig sv_llama(const std::string& arch) {
    nlohmann::json keys = sv_llama();
    keys["arch"] = arch;
    return parse_model_config(keys, "");
}

TEST(ParameterCount, TableTwoOfKarbevskiAndMijoski) {
    const auto expect = [](const std::string& name, int64_t all, int64_t non_embedding) {
        const ParameterCount count = count_parameters(preset(name));
        EXPECT_EQ(count.total, all) << name;
        EXPECT_EQ(count.non_embedding, non_embedding) << name;
    };
    expect("gpt2-124m", 124'373'760, 84'953'856);
    expect("gpt2-124m-small-mlp", 117'295'872, 77'875'968);
    expect("gpt2-124m-small-width", 117'915'816, 79'727'784);
    expect("gpt2-124m-wq-identity", 117'295'872, 77'875'968);
    expect("gpt2-124m-wq-identity-large-mlp", 124'373'760, 84'953'856);
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

TEST(ParameterCount, QueryProjectionIsATwelfthOfABlockAndAQuarterOfAttention) {
    const int64_t saved = total(model_of("{}")) - total(model_of(R"({"arch": "wq_identity"})"));
    EXPECT_EQ(saved, 12 * 768 * 768);
    EXPECT_EQ(saved * 12, 12 * (4 * 768 * 768 + 2 * 768 * 3072));
}

TEST(ParameterCount, Gpt2SizesOfSkipV1Former) {
    const auto millions = [](const char* name) {
        return (total(preset(name)) + 5'000) / 10'000;  // in units of 0.01 M
    };
    EXPECT_EQ(millions("gpt2-124m"), 124'37);
    EXPECT_EQ(millions("gpt2-200m"), 203'58);
    EXPECT_EQ(millions("gpt2-355m"), 354'60);
    EXPECT_EQ(millions("gpt2-550m"), 545'50);
}

TEST(ParameterCount, LlamaSizesOfSkipV1Former) {
    const auto millions = [](int layers, int heads, int width, int d_ff, int kv_heads) {
        const ModelConfig model = parse_model_config({{"arch", "llama"},
                                                      {"n_layer", layers},
                                                      {"n_head", heads},
                                                      {"n_kv_head", kv_heads},
                                                      {"d_model", width},
                                                      {"d_ff", d_ff},
                                                      {"vocab_size", 32000}},
                                                     "");
        return (total(model) + 5'000) / 10'000;
    };
    EXPECT_EQ(millions(8, 8, 512, 1376, 8), 58'07);
    EXPECT_EQ(millions(12, 12, 768, 2048, 12), 134'11);
    EXPECT_EQ(millions(24, 16, 1024, 2736, 16), 367'97);
    EXPECT_EQ(millions(24, 32, 2048, 5461, 32), 1339'08);
    EXPECT_EQ(millions(32, 32, 2560, 6848, 32), 2685'83);
    EXPECT_EQ(millions(22, 32, 2048, 5632, 4), 1100'05);
    EXPECT_EQ(millions(22, 32, 2048, 5632, 8), 1123'12);
}

TEST(ParameterCount, GroupedAndLatentRowsOfSkipV1Former) {
    EXPECT_EQ(total(sv_llama("gqa")), 334'676'992);
    EXPECT_EQ(total(sv_llama("skipv1_gqa")), 328'647'680);
    EXPECT_EQ(total(sv_llama("mla")), 341'754'880);
    EXPECT_EQ(total(sv_llama("skipv1_mla")), 338'740'224);
}

TEST(ParameterCount, SkipV1SavesItsInjectedHeadsInEveryLayerButTheFirst) {
    const int64_t base = total(preset("gpt2-124m"));
    EXPECT_EQ(base - total(preset("gpt2-124m-skipv1")), 11 * 6 * 64 * 768);
    EXPECT_EQ(base - total(model_of(R"({"arch": "skipv1", "skip_layer": 0})")), 11 * 6 * 64 * 768);
    EXPECT_EQ(base - total(model_of(R"({"arch": "skipv1", "skip_ratio": 0.25})")),
              11 * 3 * 64 * 768);
}

TEST(ParameterCount, SkiplessModelsOfGraef) {
    // Pythia-6.9B and Mistral-7B without norms, with and without query and output projections.
    nlohmann::json pythia{{"arch", "parallel"}, {"n_layer", 32}, {"n_head", 32},
                          {"d_model", 4096},    {"pos", "rope"}, {"tie", false},
                          {"vocab_size", 50400}};
    nlohmann::json mistral{{"arch", "skipless"}, {"base", "llama"},    {"n_layer", 32},
                           {"n_head", 32},       {"n_kv_head", 8},     {"d_model", 4096},
                           {"d_ff", 14336},      {"vocab_size", 32000}};
    EXPECT_EQ(total(parse_model_config(pythia, "")), 6'855'327'744);
    EXPECT_EQ(total(parse_model_config(mistral, "")), 7'241'465'856);
    for (auto* keys : {&pythia, &mistral})
        keys->update({{"query", "identity"}, {"out_proj", "identity"}});
    EXPECT_EQ(total(parse_model_config(pythia, "")), 5'781'585'920);
    EXPECT_EQ(total(parse_model_config(mistral, "")), 6'167'724'032);
}

TEST(ParameterCount, DenseFormerAddsItsAveragingWeights) {
    EXPECT_EQ(total(model_of(R"({"arch": "denseformer"})")) - total(model_of("{}")), 12 * 15 / 2);
}

TEST(ParameterCount, NonlinearQueryHasTwoHalfWidthMatricesAndTwoGains) {
    const int64_t without = total(model_of(R"({"query": "identity"})"));
    EXPECT_EQ(total(model_of(R"({"query": "nonlinear"})")) - without, 12 * (768 * 768 + 2 * 768));
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

TEST(CacheCount, BytesPerTokenOfSkipV1FormersTable) {
    const CacheCount grouped = count_cache(sv_llama("gqa"));
    const CacheCount skipped = count_cache(sv_llama("skipv1_gqa"));
    EXPECT_EQ(grouped.bytes_per_token(DType::kF32), 98'304);
    EXPECT_EQ(skipped.bytes_per_token(DType::kF32), 74'752);
    nlohmann::json ungrouped = sv_llama();
    ungrouped["n_kv_head"] = 16;
    EXPECT_EQ(count_cache(parse_model_config(ungrouped, "")).bytes_per_token(DType::kBF16), 98'304);
    EXPECT_EQ(count_cache(sv_llama("mla")).bytes_per_token(DType::kF16), 13'824);
    EXPECT_EQ(count_cache(sv_llama("skipv1_mla")).bytes_per_token(DType::kF16), 7'936);
}

TEST(CacheCount, SkipV1SavesNearlyAQuarter) {
    for (const int64_t n_layer : {12, 24, 32}) {
        const ModelConfig model =
            parse_model_config({{"arch", "skipv1"}, {"n_layer", n_layer}}, "");
        const CacheCount count = count_cache(model);
        const int64_t saved = count.unshared_numbers_per_token - count.numbers_per_token;
        EXPECT_EQ(saved * 4 * n_layer, (n_layer - 1) * count.unshared_numbers_per_token);
    }
}

}  // namespace
}  // namespace headroom
