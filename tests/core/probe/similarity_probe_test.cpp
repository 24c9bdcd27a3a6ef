#include "core/probe/similarity_probe.h"

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "core/probe/attention_map.h"
#include "core/probe/head_similarity.h"
#include "core/probe/token_similarity.h"
#include "tests/core/model/architectures.h"
#include "tests/core/probe/probe_run.h"

namespace headroom {
namespace {

constexpr int64_t kSimilarityBatch = 2, kSimilarityLength = 6;

ProbePass random_pass(const ModelConfig& model) {
    return probe_run(model, similarity_taps(model), random_weights(model),
                     some_tokens(kSimilarityBatch * kSimilarityLength, model.vocab_size),
                     kSimilarityBatch);
}

void expect_similarities(const NumberArray& maps, int64_t layers, int64_t n) {
    ASSERT_EQ(maps.shape, (Shape{layers, n, n}));
    for (int64_t l = 0; l < layers; ++l)
        for (int64_t i = 0; i < n; ++i)
            for (int64_t j = 0; j < n; ++j) {
                EXPECT_EQ(maps.at({l, i, j}), maps.at({l, j, i}));
                EXPECT_LE(std::abs(maps.at({l, i, j})), 1 + 1e-12);
            }
}

class SimilarityOf : public testing::TestWithParam<Architecture> {};

TEST_P(SimilarityOf, MapsHaveTheirShapesAndAreSymmetric) {
    const ModelConfig model = small_job(GetParam().keys).model;
    const SimilarityNumbers numbers = measure_similarity(random_pass(model));
    const int64_t n_layer = model.n_layer;
    for (const char* name : {"output", "value", "key", "query", "weights"})
        expect_similarities(numbers.heads.at(name), n_layer, model.n_head);
    for (const char* name : {"input", "value", "key"}) {
        expect_similarities(numbers.tokens.at(name), n_layer, kSimilarityLength);
        EXPECT_EQ(numbers.effective_rank.at(name).shape, Shape{n_layer});
    }
    expect_similarities(numbers.tokens.at("stream"), n_layer + 1, kSimilarityLength);
    EXPECT_EQ(numbers.token_means.at("stream").shape, Shape{n_layer + 1});
    EXPECT_EQ(numbers.cka.shape, (Shape{n_layer + 1, n_layer + 1}));
    for (int64_t l = 0; l <= n_layer; ++l) EXPECT_NEAR(numbers.cka.at({l, l}), 1, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Every, SimilarityOf, testing::ValuesIn(architectures_to_test()),
                         [](const auto& tested) { return tested.param.name; });

TEST(HeadSimilarity, IsOneBetweenHeadsMadeIdentical) {
    const ModelConfig model = small_job("{}").model;
    Weights weights = random_weights(model);
    const auto width = static_cast<size_t>(model.n_head * model.d_head);
    const auto d_head = static_cast<size_t>(model.d_head);
    for (const char* part : {"q", "k", "v"}) {
        std::vector<double>& w = weights.at("h.1.attn." + std::string(part) + ".weight");
        for (size_t row = 0; row < w.size(); row += width)
            for (size_t c = 0; c < d_head; ++c) w[row + 2 * d_head + c] = w[row + c];
    }
    const SimilarityNumbers numbers = measure_similarity(
        probe_run(model, similarity_taps(model), weights, some_tokens(12, model.vocab_size), 2));
    for (const auto& [name, maps] : numbers.heads) {
        EXPECT_NEAR(maps.at({1, 0, 2}), 1, 1e-12) << name;
        EXPECT_LT(maps.at({1, 0, 1}), 1 - 1e-3) << name;
        EXPECT_LT(maps.at({0, 0, 2}), 1 - 1e-3) << name;
    }
}

TEST(HeadSimilarity, OfOutputsIsTheMeanOverSequencesOfFlattenedCosines) {
    const ModelConfig model = small_job("{}").model;
    const ProbePass pass = random_pass(model);
    double expected = 0;
    for (int64_t b = 0; b < kSimilarityBatch; ++b) {
        const TokenMatrix x = pass.head(2, 1, HeadPart::kOutput, b);
        const TokenMatrix y = pass.head(2, 3, HeadPart::kOutput, b);
        double xy = 0, xx = 0, yy = 0;
        for (size_t i = 0; i < x.values.size(); ++i) {
            xy += x.values[i] * y.values[i];
            xx += x.values[i] * x.values[i];
            yy += y.values[i] * y.values[i];
        }
        expected += xy / std::sqrt(xx * yy) / kSimilarityBatch;
    }
    EXPECT_NEAR(head_cosines(pass, 2, HeadPart::kOutput).at({1, 3}), expected, 1e-13);
}

TEST(HeadSimilarity, OfWeightsComparesWholeMaps) {
    const ModelConfig model = small_job("{}").model;
    const std::vector<int32_t> tokens = some_tokens(130, model.vocab_size);  // three blocks
    ModelConfig longer = model;
    longer.block_size = 130;
    const ProbePass pass =
        probe_run(longer, similarity_taps(longer), random_weights(longer), tokens, 1);
    const AttentionMap a(pass, 0, 0, 0), b(pass, 0, 2, 0);
    std::vector<double> p(130), q(130);
    double pq = 0, pp = 0, qq = 0;
    for (int64_t i = 0; i < 130; ++i) {
        a.weights(i, p);
        b.weights(i, q);
        for (size_t j = 0; j < 130; ++j) {
            pq += p[j] * q[j];
            pp += p[j] * p[j];
            qq += q[j] * q[j];
        }
    }
    EXPECT_NEAR(head_weight_cosines(pass, 0).at({2, 0}), pq / std::sqrt(pp * qq), 1e-12);
}

TEST(TokenSimilarity, OfCollapsedTokensIsOneWithEffectiveRankOne) {
    const ModelConfig model = small_job("{}").model;
    Weights weights = random_weights(model);
    std::vector<double>& wte = weights.at("wte.weight");
    for (size_t i = 0; i < wte.size(); ++i) wte[i] = wte[i % static_cast<size_t>(model.d_model)];
    for (double& value : weights.at("wpe.weight")) value = 0;
    const SimilarityNumbers numbers = measure_similarity(
        probe_run(model, similarity_taps(model), weights, some_tokens(12, model.vocab_size), 2));
    for (int64_t l = 0; l <= model.n_layer; ++l) {
        EXPECT_NEAR(numbers.token_means.at("stream").at({l}), 1, 1e-12);
        EXPECT_NEAR(numbers.effective_rank.at("stream").at({l}), 1, 1e-10);
    }
    EXPECT_NEAR(numbers.token_means.at("value").at({0}), 1, 1e-12);
}

TEST(TokenSimilarity, OfSharedKeysIsThatOfTheKeysThatAreStored) {
    const ModelConfig model = small_job(R"({"arch":"gqa","n_kv_head":2})").model;
    const ProbePass pass = random_pass(model);
    TokenMatrix all{kSimilarityLength, model.n_head * model.d_head, {}};
    for (int64_t i = 0; i < kSimilarityLength; ++i)
        for (int h = 0; h < model.n_head; ++h) {
            const TokenMatrix key = pass.head(1, h, HeadPart::kKey, 0);
            all.values.insert(all.values.end(), key.row(i).begin(), key.row(i).end());
        }
    double xy = 0, xx = 0, yy = 0;
    for (size_t c = 0; c < all.row(0).size(); ++c) {
        xy += all.row(4)[c] * all.row(1)[c];
        xx += all.row(4)[c] * all.row(4)[c];
        yy += all.row(1)[c] * all.row(1)[c];
    }
    const SimilarityNumbers numbers = measure_similarity(pass);
    EXPECT_NEAR(numbers.tokens.at("key").at({1, 4, 1}), xy / std::sqrt(xx * yy), 1e-12);
}

TEST(TokenSimilarity, IsShownForAtMost128TokensAndMeantOverAll) {
    ModelConfig model = small_job("{}").model;
    model.block_size = 140;
    const ProbePass pass = probe_run(model, similarity_taps(model), random_weights(model),
                                     some_tokens(140, model.vocab_size), 1);
    const SimilarityNumbers numbers = measure_similarity(pass);
    EXPECT_EQ(numbers.tokens.at("stream").shape, (Shape{model.n_layer + 1, 128, 128}));
    const TokenMatrix last = pass.stream(static_cast<int>(model.n_layer) - 1, 0);
    EXPECT_NEAR(numbers.token_means.at("stream").at({model.n_layer}), mean_cosine(last), 1e-12);
}

TEST(CkaBetween, TwoModelsIsOneWhereTheyAreTheSame) {
    const ModelConfig model = small_job("{}").model;
    const ProbePass pass = random_pass(model);
    const ModelConfig other = small_job(R"({"n_layer":2,"d_model":16,"d_ff":32})").model;
    const NumberArray between = cka_between(pass, random_pass(other));
    EXPECT_EQ(between.shape, (Shape{5, 3}));
    const NumberArray own = cka_between(pass, pass);
    EXPECT_NEAR(own.at({2, 2}), 1, 1e-12);
    EXPECT_EQ(measure_similarity(pass).cka.at({3, 1}), own.at({3, 1}));
}

TEST(SimilarityFile, HoldsEveryArrayOfTheContract) {
    const ModelConfig model = small_job("{}").model;
    const ProbePass pass = random_pass(model);
    SimilarityNumbers numbers = measure_similarity(pass);
    numbers.cka_other = cka_between(pass, pass);
    const std::filesystem::path path =
        std::filesystem::path(testing::TempDir()) / "similarity_file.h5";
    {
        ArrayFileWriter writer(path);
        write_similarity(writer, numbers);
        writer.commit();
    }
    const ArrayFile file(path);
    EXPECT_EQ(file.names("/similarity/heads"),
              (std::vector<std::string>{"key", "output", "query", "value", "weights"}));
    EXPECT_EQ(file.read_all<double>("/similarity/heads/output"), numbers.heads.at("output").values);
    EXPECT_EQ(file.read_all<double>("/similarity/tokens/stream_mean"),
              numbers.token_means.at("stream").values);
    EXPECT_EQ(file.type("/similarity/cka_other").shape, (Shape{5, 5}));
    EXPECT_EQ(file.attribute("/similarity", "signal"), "cka");
    std::filesystem::remove(path);
}

}  // namespace
}  // namespace headroom
