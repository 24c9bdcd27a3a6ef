#include "core/probe/heads_probe.h"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/probe/probe_kind.h"
#include "tests/core/model/architectures.h"
#include "tests/core/model/forward_pass.h"
#include "tests/core/probe/handmade_models.h"
#include "tests/support/made_weights.h"
#include "tests/support/read_head_scores.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

constexpr double kExact = 1e-12;

/// Scores of the pass's sequences.
HeadScores scores_of(const ProbePass& pass, const std::vector<int32_t>& tokens) {
    const auto seq_len = static_cast<size_t>(pass.shape().seq_len);
    HeadScoreSum sum(pass.model().n_layer, pass.model().n_head, pass.shape().seq_len);
    for (int64_t b = 0; b < pass.shape().batch_size; ++b)
        sum.add(pass, b, std::span(tokens).subspan(static_cast<size_t>(b) * seq_len, seq_len));
    return sum.mean();
}

HeadScores scores_of(const HandmadeModel& made, const std::vector<int32_t>& tokens,
                     int64_t batch_size = 1) {
    return scores_of(run_handmade(made, tokens, batch_size), tokens);
}

/// Mean of f(i) over the rows begin <= i < end.
template <class F>
double mean_over(int64_t begin, int64_t end, F f) {
    double sum = 0;
    for (int64_t i = begin; i < end; ++i) sum += f(static_cast<double>(i));
    return sum / static_cast<double>(end - begin);
}

/// Six different tokens, twice.
const std::vector<int32_t> kTwice{3, 1, 4, 0, 5, 2, 3, 1, 4, 0, 5, 2};
constexpr int64_t kHeadLength = 12, kHalf = 6, kVocabulary = 6;

TEST(HeadScores, APreviousTokenHeadAttendsOneTokenBack) {
    const HeadScores scores =
        scores_of(handmade_model({{HeadKind::kPrevious}}, kVocabulary, kHeadLength), kTwice);
    EXPECT_NEAR(scores.at(HeadMeasure::kPreviousToken, 0, 0), 1, kExact);
    EXPECT_NEAR(scores.at(HeadMeasure::kEntropy, 0, 0), 0, kExact);
    EXPECT_NEAR(scores.at(HeadMeasure::kCurrentToken, 0, 0), 1.0 / kHeadLength,
                kExact);  // the first
    EXPECT_NEAR(scores.at(HeadMeasure::kSinkMass, 0, 0), 1.0 / (kHeadLength - 1), kExact);
    EXPECT_NEAR(scores.at(HeadMeasure::kMeanDistance, 0, 0), 11.0 / kHeadLength, kExact);
    EXPECT_NEAR(scores.at(HeadMeasure::kInduction, 0, 0), 0, kExact);
    EXPECT_NEAR(scores.distance_profile[0], 1.0 / kHeadLength, kExact);
    EXPECT_NEAR(scores.distance_profile[1], 1, kExact);
    for (size_t distance = 2; distance < kHeadLength; ++distance)
        EXPECT_NEAR(scores.distance_profile[distance], 0, kExact) << distance;
}

TEST(HeadScores, AnInductionHeadFindsWhatFollowedTheLastTime) {
    const HeadScores scores = scores_of(handmade_model({{HeadKind::kPrevious, HeadKind::kUniform},
                                                        {HeadKind::kUniform, HeadKind::kInduction}},
                                                       kVocabulary, kHeadLength),
                                        kTwice);
    EXPECT_NEAR(scores.at(HeadMeasure::kInduction, 1, 1), 1, kExact);
    EXPECT_NEAR(scores.at(HeadMeasure::kDuplicateToken, 1, 1), 0, kExact);
    // In rows 6 to 11 it looks back 5 tokens; row 5 finds nothing and avoids the first token.
    EXPECT_NEAR(scores.distance_profile[3 * kHeadLength + 5], 6.0 / 7, kExact);
    // Others only share their attention out.
    EXPECT_NEAR(scores.at(HeadMeasure::kInduction, 1, 0),
                mean_over(kHalf, kHeadLength, [](double i) { return 1 / (i + 1); }), kExact);
}

TEST(HeadScores, ADuplicateTokenHeadFindsItsTokenEarlierOn) {
    const HeadScores scores =
        scores_of(handmade_model({{HeadKind::kDuplicate}}, kVocabulary, kHeadLength), kTwice);
    EXPECT_NEAR(scores.at(HeadMeasure::kDuplicateToken, 0, 0), 1, kExact);
    EXPECT_NEAR(scores.at(HeadMeasure::kInduction, 0, 0), 0, kExact);
}

TEST(HeadScores, HeadsOnTheFirstAndOnTheirOwnTokenAreTold) {
    const HeadScores scores = scores_of(
        handmade_model({{HeadKind::kFirst, HeadKind::kCurrent}}, kVocabulary, kHeadLength), kTwice);
    EXPECT_NEAR(scores.at(HeadMeasure::kSinkMass, 0, 0), 1, kExact);
    EXPECT_NEAR(scores.at(HeadMeasure::kMeanDistance, 0, 0), 5.5, kExact);
    EXPECT_NEAR(scores.at(HeadMeasure::kCurrentToken, 0, 1), 1, kExact);
    EXPECT_NEAR(scores.at(HeadMeasure::kMeanDistance, 0, 1), 0, kExact);
    EXPECT_NEAR(scores.at(HeadMeasure::kSinkMass, 0, 1), 0, kExact);
}

TEST(HeadScores, AUniformHeadHasTheScoresOfChance) {
    const HeadScores scores =
        scores_of(handmade_model({{HeadKind::kUniform}}, kVocabulary, kHeadLength), kTwice);
    const auto share = [](double i) { return 1 / (i + 1); };
    EXPECT_NEAR(scores.at(HeadMeasure::kEntropy, 0, 0),
                mean_over(0, kHeadLength, [](double i) { return std::log(i + 1); }), kExact);
    EXPECT_NEAR(scores.at(HeadMeasure::kSinkMass, 0, 0), mean_over(1, kHeadLength, share), kExact);
    EXPECT_NEAR(scores.at(HeadMeasure::kPreviousToken, 0, 0), mean_over(1, kHeadLength, share),
                kExact);
    EXPECT_NEAR(scores.at(HeadMeasure::kCurrentToken, 0, 0), mean_over(0, kHeadLength, share),
                kExact);
    EXPECT_NEAR(scores.at(HeadMeasure::kDuplicateToken, 0, 0), mean_over(kHalf, kHeadLength, share),
                kExact);
    EXPECT_NEAR(scores.at(HeadMeasure::kMeanDistance, 0, 0),
                mean_over(0, kHeadLength, [](double i) { return i / 2; }), kExact);
    for (int64_t distance = 0; distance < kHeadLength; ++distance)
        EXPECT_NEAR(scores.distance_profile[static_cast<size_t>(distance)],
                    mean_over(distance, kHeadLength, share), kExact);
}

TEST(HeadScores, IdenticalHeadsHaveIdenticalScores) {
    const HeadScores scores =
        scores_of(handmade_model({{HeadKind::kPrevious, HeadKind::kPrevious},
                                  {HeadKind::kInduction, HeadKind::kInduction}},
                                 kVocabulary, kHeadLength),
                  kTwice);
    for (const std::vector<double>& measure : scores.measures) {
        EXPECT_EQ(measure[0], measure[1]);
        EXPECT_EQ(measure[2], measure[3]);
    }
}

TEST(HeadScores, WithoutRepeatedTokensThereIsNoScoreForThem) {
    const std::vector<int32_t> once{3, 1, 4, 0, 5, 2};
    const HandmadeModel made = handmade_model({{HeadKind::kUniform}}, kVocabulary, kHeadLength);
    const HeadScores scores = scores_of(made, once);
    EXPECT_TRUE(std::isnan(scores.at(HeadMeasure::kDuplicateToken, 0, 0)));
    EXPECT_TRUE(std::isnan(scores.at(HeadMeasure::kInduction, 0, 0)));
    // Two in a row are a duplicate, but nothing stands between them.
    const HeadScores pair = scores_of(made, {3, 3});
    EXPECT_NEAR(pair.at(HeadMeasure::kDuplicateToken, 0, 0), 0.5, kExact);
    EXPECT_TRUE(std::isnan(pair.at(HeadMeasure::kInduction, 0, 0)));
    const HeadScores one = scores_of(made, {3});
    EXPECT_TRUE(std::isnan(one.at(HeadMeasure::kSinkMass, 0, 0)));
    EXPECT_EQ(one.at(HeadMeasure::kCurrentToken, 0, 0), 1);
}

TEST(HeadScores, SequencesWithoutSuchRowsDoNotCountForAScore) {
    std::vector<int32_t> both = kTwice;
    const std::vector<int32_t> once{3, 1, 4, 0, 5, 2, 6, 7, 8, 9, 10, 11};
    both.insert(both.end(), once.begin(), once.end());
    const HandmadeModel made = handmade_model({{HeadKind::kUniform}}, kHeadLength, kHeadLength);
    const HeadScores two = scores_of(made, both, 2), first = scores_of(made, kTwice);
    for (const HeadMeasure measure : {HeadMeasure::kDuplicateToken, HeadMeasure::kInduction,
                                      HeadMeasure::kEntropy, HeadMeasure::kPreviousToken})
        EXPECT_NEAR(two.at(measure, 0, 0), first.at(measure, 0, 0), kExact) << name_of(measure);
}

/// Scores of one head from its map, by their definitions.
struct Definitions {
    std::vector<std::vector<double>> p;
    std::vector<int32_t> tokens;

    template <class Counts>
    double mass(Counts counts) const {
        double sum = 0, rows = 0;
        for (size_t i = 0; i < p.size(); ++i) {
            double row = 0;
            bool any = false;
            for (size_t j = 0; j < p.size(); ++j)
                if (counts(i, j)) any = true, row += p[i][j];
            if (any) sum += row, ++rows;
        }
        return sum / rows;
    }
    double mean(double (*f)(double weight, double distance)) const {
        double sum = 0;
        for (size_t i = 0; i < p.size(); ++i)
            for (size_t j = 0; j < p.size(); ++j)
                sum += f(p[i][j], std::abs(static_cast<double>(i) - static_cast<double>(j)));
        return sum / static_cast<double>(p.size());
    }
};

Definitions definitions_of(const ProbePass& pass, int layer, int head, int64_t b,
                           const std::vector<int32_t>& tokens) {
    const TokenMatrix q = pass.head(layer, head, HeadPart::kQuery, b),
                      k = pass.head(layer, head, HeadPart::kKey, b);
    Definitions made{{}, tokens};
    for (int64_t i = 0; i < q.rows; ++i) {
        std::vector<double> row(static_cast<size_t>(q.rows));
        double sum = 0;
        for (int64_t j = 0; j < q.rows; ++j) {
            const double dot =
                std::inner_product(q.row(i).begin(), q.row(i).end(), k.row(j).begin(), 0.0);
            if (j <= i || !pass.model().causal)
                row[static_cast<size_t>(j)] = std::exp(pass.attention(layer).scale * dot);
            sum += row[static_cast<size_t>(j)];
        }
        for (double& weight : row) weight /= sum;
        made.p.push_back(row);
    }
    return made;
}

void expect_definitions(const Definitions& d, const HeadScores& scores, int layer, int head) {
    const std::vector<int32_t>& t = d.tokens;
    const auto near = [&](HeadMeasure measure, double expected) {
        EXPECT_NEAR(scores.at(measure, layer, head), expected, 1e-11) << name_of(measure);
    };
    near(HeadMeasure::kEntropy,
         d.mean([](double w, double) { return w > 0 ? -w * std::log(w) : 0.0; }));
    near(HeadMeasure::kMeanDistance,
         d.mean([](double w, double distance) { return w * distance; }));
    near(HeadMeasure::kSinkMass, d.mass([](size_t i, size_t j) { return i >= 1 && j == 0; }));
    near(HeadMeasure::kPreviousToken, d.mass([](size_t i, size_t j) { return j + 1 == i; }));
    near(HeadMeasure::kCurrentToken, d.mass([](size_t i, size_t j) { return i == j; }));
    near(HeadMeasure::kDuplicateToken,
         d.mass([&](size_t i, size_t j) { return j < i && t[j] == t[i]; }));
    near(HeadMeasure::kInduction,
         d.mass([&](size_t i, size_t j) { return j >= 1 && j < i && t[j - 1] == t[i]; }));
}

TEST(HeadScores, FollowTheirDefinitionsWithAndWithoutAMask) {
    for (const char* keys : {R"({"block_size": 45, "vocab_size": 7})",
                             R"({"block_size": 45, "vocab_size": 7, "causal": false})",
                             R"({"block_size": 45, "vocab_size": 7, "n_kv_head": 2})"}) {
        const HandmadeModel random{small_job(keys).model, random_weights(small_job(keys).model)};
        std::vector<int32_t> tokens;
        for (int32_t i = 0; i < 45; ++i) tokens.push_back(i * i * i % 11 % 7);
        const ProbePass pass = run_handmade(random, tokens);
        const HeadScores scores = scores_of(pass, tokens);
        for (int layer = 0; layer < 4; ++layer)
            for (int head = 0; head < 4; ++head)
                expect_definitions(definitions_of(pass, layer, head, 0, tokens), scores, layer,
                                   head);
    }
}

TEST(HeadScores, WhatIsNoNumberShows) {
    HandmadeModel made =
        handmade_model({{HeadKind::kUniform, HeadKind::kPrevious}}, 6, kHeadLength);
    made.weights["wpe.weight"][9 * static_cast<size_t>(made.model.d_model)] = std::nan("");
    const HeadScores scores = scores_of(made, kTwice);
    for (const std::vector<double>& measure : scores.measures)
        EXPECT_TRUE(std::isnan(measure[1])) << &measure - scores.measures;
}

TEST(HeadScores, ComeBackFromAFile) {
    const TemporaryFolder folder;
    const HeadScores scores = scores_of(
        handmade_model({{HeadKind::kUniform, HeadKind::kFirst}}, kVocabulary, kHeadLength), kTwice);
    {
        ArrayFileWriter file(folder / "heads.h5");
        write_head_scores(file, scores);
        file.commit();
    }
    const HeadScores read = read_head_scores(ArrayFile(folder / "heads.h5"));
    EXPECT_EQ(read.n_head, 2);
    EXPECT_EQ(read.distance_profile, scores.distance_profile);
    for (size_t m = 0; m < kHeadMeasures; ++m) EXPECT_EQ(read.measures[m], scores.measures[m]);
    EXPECT_EQ(ArrayFile(folder / "heads.h5").attribute("/heads/entropy", "units"), "nats");
}

TEST(HeadScores, SayWhoseValuesAHeadCarries) {
    const auto shares = [](const char* keys) {
        const Job job = small_job(keys);
        const Weights weights = random_weights(job.model);
        const MadeWeights made(job.model,
                               [&](const std::string& name) { return weights.at(name); });
        const ProbeTokens tokens{1, 6, some_tokens(6, job.model.vocab_size), {}};
        const ProbeValues values = find_probe_kind("heads").schema.standard_values();
        const std::unique_ptr<Device> device = make_cpu_device();
        const ProbeFindings found = find_probe_kind("heads").measure({.weights = made,
                                                                      .tokens = tokens,
                                                                      .precision = DType::kF64,
                                                                      .options = values,
                                                                      .device = *device,
                                                                      .job = job});
        nlohmann::ordered_json document;
        found.report(document);
        return std::pair(document["heads"]["value_reused"].dump(), found.table());
    };
    const auto [skip, table] = shares(R"({"arch": "skipv1"})");
    EXPECT_EQ(skip, "[[0.0,0.0,0.0,0.0],[0.0,0.0,1.0,1.0],[0.0,0.0,1.0,1.0],[0.0,0.0,1.0,1.0]]");
    EXPECT_THAT(table, testing::HasSubstr("mean of 10 heads"));
    EXPECT_THAT(table, testing::HasSubstr("mean of 6 heads"));
    EXPECT_THAT(shares(R"({"arch": "gpt2"})").second, testing::Not(testing::HasSubstr("mean of")));
    EXPECT_THAT(shares(R"({"arch": "resformer"})").first, testing::HasSubstr("[0.5,0.5,0.5,0.5]"));
    // No value at all is neither kind; of latents the shared part counts.
    const auto [none, no_means] = shares(R"({"arch": "skipv1", "skip_layer": 0})");
    EXPECT_THAT(none, testing::HasSubstr("[0.0,0.0,null,null]"));
    EXPECT_THAT(no_means, testing::Not(testing::HasSubstr("mean of")));
    EXPECT_THAT(shares(R"({"arch": "skipv1_mla"})").first,
                testing::HasSubstr("[[0.0,0.0,0.0,0.0],[0.5,0.5,0.5,0.5]"));
}

}  // namespace
}  // namespace headroom
