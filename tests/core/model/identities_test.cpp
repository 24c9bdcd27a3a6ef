#include <cmath>

#include <gtest/gtest.h>

#include "tests/core/model/architectures.h"
#include "tests/core/model/forward_pass.h"

// Architectures that must compute the same function, on equal random weights.

namespace headroom {
namespace {

const std::vector<int32_t> kTokens = some_tokens(6, 11);

std::vector<double> logits_of(const std::string& keys, const Weights& weights) {
    return forward_logits(small_job(keys).model, weights, kTokens);
}

std::vector<double> logits_of(const std::string& keys) {
    return logits_of(keys, random_weights(small_job(keys).model));
}

/// Columns of a matrix [rows, columns] in the order of `from`.
std::vector<double> with_columns(const std::vector<double>& matrix, size_t columns,
                                 const std::vector<size_t>& from) {
    std::vector<double> result;
    for (size_t row = 0; row < matrix.size() / columns; ++row)
        for (const size_t c : from) result.push_back(matrix[row * columns + c]);
    return result;
}

std::vector<double> identity_matrix(size_t n) {
    std::vector<double> matrix(n * n, 0.0);
    for (size_t i = 0; i < n; ++i) matrix[i * (n + 1)] = 1.0;
    return matrix;
}

struct SameFunction {
    const char* name;
    const char* keys;
    const char* as;
};

class Identity : public testing::TestWithParam<SameFunction> {};

TEST_P(Identity, HoldsToRounding) {
    EXPECT_LT(relative_error(logits_of(GetParam().keys), logits_of(GetParam().as)), 1e-13);
}

INSTANTIATE_TEST_SUITE_P(
    Architectures, Identity,
    testing::Values(
        SameFunction{"GqaWithAsManyHeads", R"({"arch": "gqa", "n_kv_head": 4})",
                     R"({"arch": "llama"})"},
        SameFunction{"SkipV1Ratio0", R"({"arch": "skipv1", "skip_ratio": 0})", "{}"},
        SameFunction{"SkipKV1Ratio0", R"({"arch": "skipkv1", "skip_ratio": 0})", "{}"},
        SameFunction{"SkipV1Ratio1", R"({"arch": "skipv1", "skip_ratio": 1})",
                     R"({"arch": "svformer"})"},
        SameFunction{"SkipV4OfFourLayers", R"({"arch": "skipv1", "skip_layer": 4})", "{}"},
        SameFunction{"ResFormerLambda1", R"({"arch": "resformer", "res_lambda": 1})", "{}"},
        SameFunction{"ResFormerLambda0", R"({"arch": "resformer", "res_lambda": 0})",
                     R"({"arch": "svformer"})"},
        SameFunction{"ClaFactor1", R"({"arch": "cla", "cla_factor": 1})", "{}"},
        SameFunction{"ClaFactorOfAllLayersForValues", R"({"arch": "cla_v", "cla_factor": 4})",
                     R"({"arch": "svformer"})"},
        SameFunction{"YocoWithNoSharedLayers", R"({"arch": "yoco", "yoco_split": 4})", "{}"},
        SameFunction{"SkipV1MlaRatio0",
                     R"({"arch": "skipv1_mla", "skip_ratio": 0, "mla": {"d_c": 6, "d_r": 2}})",
                     R"({"arch": "mla", "mla": {"d_c": 6, "d_r": 2}})"},
        SameFunction{"OwnTableOfSkipV1",
                     R"({"wiring": {"values": ["own",
                         [[[1, 0]], [[1, 1]], [[0, 2]], [[0, 3]]],
                         [[[2, 0]], [[2, 1]], [[0, 2]], [[0, 3]]],
                         [[[3, 0]], [[3, 1]], [[0, 2]], [[0, 3]]]]}})",
                     R"({"arch": "skipv1"})"},
        SameFunction{"OneSharedLayer", R"({"share_layers": true, "n_layer": 1})",
                     R"({"n_layer": 1})"}),
    [](const auto& same) { return std::string(same.param.name); });

TEST(Identities, OneExpertIsTheMlpBitForBit) {
    EXPECT_EQ(logits_of(R"({"mlp_experts": 1, "mlp_top_k": 1, "mlp_capacity": 0.5})"),
              logits_of("{}"));
}

TEST(Identities, EqualExpertsAreTheMlpHoweverManyAreChosen) {
    const std::string plain = R"({"bias": true, "mlp": "swiglu")";
    const Weights weights = random_weights(small_job(plain + "}").model);
    for (const char* choice :
         {", \"mlp_experts\": 4, \"mlp_top_k\": 4}", ", \"mlp_experts\": 4, \"mlp_top_k\": 3}",
          ", \"mlp_experts\": 4, \"mlp_top_k\": 1}"}) {
        const ModelConfig model = small_job(plain + choice).model;
        Weights mixed = random_weights(model);  // the router's are its own
        for (auto& [name, numbers] : mixed) {
            std::string of_mlp = name;
            const size_t at = name.find("experts.");
            if (at != std::string::npos) of_mlp.erase(at, std::string("experts.0.").size());
            if (weights.contains(of_mlp)) numbers = weights.at(of_mlp);
        }
        EXPECT_LT(relative_error(logits_of(plain + choice, mixed), logits_of(plain + "}", weights)),
                  1e-12)
            << choice;
    }
}

TEST(Identities, DenseFormerAtItsInitialWeightsIsTheBaseline) {
    for (const char* keys : {R"({"arch": "denseformer"})",
                             R"({"arch": "denseformer", "dwa_dilation": 2, "dwa_period": 2})"}) {
        const ModelConfig model = small_job(keys).model;
        EXPECT_EQ(forward_logits(model, initial_weights(model), kTokens),
                  logits_of("{}", initial_weights(small_job("{}").model)));
    }
}

TEST(Identities, HyperConnectionsOfOneStreamAtTheirInitialWeightsAreTheBaseline) {
    const ModelConfig model = small_job(R"({"hyper": "hc", "n_stream": 1})").model;
    EXPECT_EQ(forward_logits(model, initial_weights(model), kTokens),
              logits_of("{}", initial_weights(small_job("{}").model)));
}

TEST(Identities, OneManifoldStreamWithUnitWritesIsTheBaselineUpToTheScaleOfItsReads) {
    // With one stream R = 1 whatever its weight, b = 2 sigmoid(0) = 1, and a scales the input of a
    // norm that has no epsilon.
    const std::string sizes = R"("norm_eps": 1e-30)";
    const ModelConfig model =
        small_job("{\"hyper\": \"mhc\", \"n_stream\": 1, " + sizes + "}").model;
    EXPECT_LT(relative_error(forward_logits(model, initial_weights(model), kTokens),
                             logits_of("{" + sizes + "}",
                                       initial_weights(small_job("{" + sizes + "}").model))),
              1e-12);
}

TEST(Identities, FreeHyperConnectionsStartAsTheBaselineForAnyNumberOfStreams) {
    // All streams are equal at first, and the final norm takes out their number.
    const ModelConfig model =
        small_job(R"({"hyper": "hc", "n_stream": 3, "norm_eps": 1e-30})").model;
    const ModelConfig plain = small_job(R"({"norm_eps": 1e-30})").model;
    EXPECT_LT(relative_error(forward_logits(model, initial_weights(model), kTokens),
                             forward_logits(plain, initial_weights(plain), kTokens)),
              1e-12);
}

TEST(Identities, AQueryMatrixOfOnesOnTheDiagonalIsNoQueryMatrix) {
    const Weights identity = random_weights(small_job(R"({"arch": "wq_identity"})").model);
    Weights linear = identity;
    for (int layer = 0; layer < 4; ++layer)
        linear["h." + std::to_string(layer) + ".attn.q.weight"] = identity_matrix(8);
    const ModelConfig scaled = [] {
        ModelConfig model = small_job("{}").model;
        model.attn_scale = small_job(R"({"arch": "wq_identity"})").model.attn_scale;
        return model;
    }();
    EXPECT_EQ(forward_logits(scaled, linear, kTokens),
              logits_of(R"({"arch": "wq_identity"})", identity));
}

TEST(Identities, GroupedHeadsAreRepeatedColumns) {
    const std::string keys = R"({"arch": "gqa", "qk_norm": true})";
    const Weights grouped = random_weights(small_job(keys).model);
    Weights repeated = grouped;
    const std::vector<size_t> twice{0, 1, 0, 1, 2, 3, 2, 3};  // two heads of two columns
    for (int layer = 0; layer < 4; ++layer)
        for (const char* name : {".attn.k.weight", ".attn.v.weight"}) {
            auto& matrix = repeated["h." + std::to_string(layer) + name];
            matrix = with_columns(matrix, 4, twice);
        }
    EXPECT_LT(relative_error(logits_of(keys, grouped),
                             logits_of(R"({"arch": "llama", "qk_norm": true})", repeated)),
              1e-13);
}

TEST(Identities, RotationByHalvesIsRotationByPairsOfPermutedColumns) {
    const std::string sizes = R"("d_model": 16, "arch": "llama")";
    const Weights pairs =
        random_weights(small_job("{" + sizes + R"(, "rope_style": "interleaved"})").model);
    Weights halves = pairs;
    std::vector<size_t> from;
    for (const size_t head : {0u, 4u, 8u, 12u})
        for (const size_t c : {0u, 2u, 1u, 3u}) from.push_back(head + c);
    for (int layer = 0; layer < 4; ++layer)
        for (const char* name : {".attn.q.weight", ".attn.k.weight"}) {
            auto& matrix = halves["h." + std::to_string(layer) + name];
            matrix = with_columns(matrix, 16, from);
        }
    EXPECT_LT(relative_error(logits_of("{" + sizes + "}", halves),
                             logits_of("{" + sizes + R"(, "rope_style": "interleaved"})", pairs)),
              1e-13);
}

TEST(Identities, LatentAttentionOfFullWidthIsMultiHeadAttention) {
    const std::string keys = R"({"arch": "mla", "base": "gpt2", "mla": {"d_c": 8, "d_r": 0}})";
    const Weights heads = random_weights(small_job("{}").model);
    Weights latent = heads;
    for (int layer = 0; layer < 4; ++layer) {
        const std::string attn = "h." + std::to_string(layer) + ".attn.";
        latent[attn + "kv_down.weight"] = identity_matrix(8);
        latent[attn + "k_up.weight"] = heads.at(attn + "k.weight");
        latent[attn + "v_up.weight"] = heads.at(attn + "v.weight");
    }
    EXPECT_LT(relative_error(logits_of(keys, latent), logits_of("{}", heads)), 1e-13);
}

class EveryArchitecture : public testing::TestWithParam<Architecture> {};

TEST_P(EveryArchitecture, TheFutureDoesNotChangeThePastUnlessThereIsNoMask) {
    const ModelConfig model = small_job(GetParam().keys).model;
    const Weights weights = random_weights(model);
    std::vector<int32_t> changed = kTokens;
    changed[4] = (changed[4] + 1) % 11;
    const auto before = forward_logits(model, weights, kTokens);
    const auto after = forward_logits(model, weights, changed);
    const auto past = static_cast<std::ptrdiff_t>(4 * model.vocab_size);
    EXPECT_EQ(std::equal(before.begin(), before.begin() + past, after.begin()),
              !GetParam().encoder);
    EXPECT_NE(before, after);
}

TEST_P(EveryArchitecture, NarrowTypesStayNearDouble) {
    const ModelConfig model = small_job(GetParam().keys).model;
    const Weights weights = initial_weights(model);
    const auto exact = forward_logits(model, weights, kTokens);
    double square = 0;
    for (const double x : exact) square += x * x / static_cast<double>(exact.size());
    const auto worst = [&](DType precision) {
        const auto rounded = forward_logits(model, weights, kTokens, precision);
        double most = 0;
        for (size_t i = 0; i < exact.size(); ++i)
            most = std::max(most, std::abs(rounded[i] - exact[i]));
        return most / std::sqrt(square);
    };
    EXPECT_LT(worst(DType::kF32), 1e-4);
    EXPECT_LT(worst(DType::kBF16), 3e-2 * 3);  // of the largest of 66, not the typical error
}

INSTANTIATE_TEST_SUITE_P(Architectures, EveryArchitecture,
                         testing::ValuesIn(architectures_to_test()),
                         [](const auto& architecture) { return architecture.param.name; });

}  // namespace
}  // namespace headroom
