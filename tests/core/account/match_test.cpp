#include "core/account/match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/account/kv_cache.h"
#include "core/account/parameter_count.h"
#include "core/base/error.h"
#include "core/config/job_json.h"
#include "core/config/set_key.h"

namespace headroom {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using Settings = std::vector<std::pair<std::string, std::string>>;

json preset_job(const std::string& name) {
    return {{"model", {{"preset", name}}}};
}
ModelConfig preset_in_job(const std::string& name) {
    return parse_job(preset_job(name), "").model;
}
json job_of_model(const std::string& model) {
    json keys = json::parse(model);
    if (!keys.contains("vocab_size")) keys["vocab_size"] = 1000;
    return {{"model", keys}};
}
ModelConfig model_in_job(const std::string& model) {
    return parse_job(job_of_model(model), "").model;
}

MatchAttempt attempt(const json& job, const ModelConfig& baseline, MatchMeasure measure,
                     MatchKey key) {
    return match_baseline(job, baseline, {.measure = measure, .vary = key}).best_attempt();
}

/// The settings of a point, applied as `--set` does, make its model.
void expect_settings_make_the_model(const json& job, const MatchPoint& point) {
    json document = job;
    for (const auto& [key, value] : point.settings) apply_set(document, key + "=" + value);
    EXPECT_EQ(parse_job(document, "").model, point.model);
}

TEST(Match, LargerMlpOfThePaperComesOut) {
    const json job = preset_job("gpt2-124m-wq-identity");
    const MatchAttempt a =
        attempt(job, preset_in_job("gpt2-124m"), MatchMeasure::kParams, MatchKey::kDff);
    ASSERT_TRUE(a.exact);
    EXPECT_EQ(a.exact->value, 3456);
    EXPECT_EQ(a.exact->count(MatchMeasure::kParams), (CountPair{124'373'760, 124'373'760}));
    EXPECT_EQ(a.exact->settings, (Settings{{"model.d_ff", "3456"}}));
    expect_settings_make_the_model(job, *a.exact);
}

TEST(Match, SmallerMlpOfThePaperComesOut) {
    const MatchAttempt a = attempt(preset_job("gpt2-124m"), preset_in_job("gpt2-124m-wq-identity"),
                                   MatchMeasure::kNonEmbedding, MatchKey::kDff);
    ASSERT_TRUE(a.exact);
    EXPECT_EQ(a.exact->value, 2688);
}

TEST(Match, SmallerWidthOfThePaperIsTheNearestOne) {
    const json job = preset_job("gpt2-124m");
    const MatchAttempt a = attempt(job, preset_in_job("gpt2-124m-wq-identity"),
                                   MatchMeasure::kParams, MatchKey::kDModel);
    ASSERT_FALSE(a.exact);
    ASSERT_TRUE(a.below && a.above);
    EXPECT_EQ(a.below->value, 732);
    EXPECT_EQ(a.above->value, 744);
    EXPECT_EQ(a.best(MatchMeasure::kParams), &*a.above);
    EXPECT_EQ(a.above->model.d_head, 62);
    EXPECT_EQ(a.above->model.n_head, 12);
    EXPECT_EQ(a.above->model.d_ff, 2976);
    EXPECT_EQ(a.above->count(MatchMeasure::kParams).model, 117'915'816);
    EXPECT_EQ(a.above->settings, (Settings{{"model.d_model", "744"}}));
    EXPECT_LT(a.below->count(MatchMeasure::kParams).difference(), 0);
}

TEST(Match, NearestNeighboursAreOneStepApart) {
    const MatchAttempt a =
        attempt(job_of_model(R"({"n_layer": 3, "n_head": 2, "d_model": 64})"),
                model_in_job(R"({"n_layer": 3, "n_head": 2, "d_model": 66, "norm": "dyt"})"),
                MatchMeasure::kParams, MatchKey::kDff);
    ASSERT_TRUE(a.below && a.above);
    EXPECT_EQ(a.above->value, a.below->value + 1);
    EXPECT_LT(a.below->count(MatchMeasure::kParams).difference(), 0);
    EXPECT_GT(a.above->count(MatchMeasure::kParams).difference(), 0);
}

TEST(Match, CacheDoesNotDependOnTheMlp) {
    const MatchResult r = match_baseline(preset_job("gpt2-124m-skipv1"), preset_in_job("gpt2-124m"),
                                         {.measure = MatchMeasure::kCache, .vary = MatchKey::kDff});
    EXPECT_EQ(r.best_point(), nullptr);
    EXPECT_EQ(r.sentence,
              "cache bytes per token do not depend on d_ff: they are 28,416 against 36,864 of the "
              "baseline");
}

TEST(Match, SaysWhatElseIsEqualAndWhatIsNot) {
    const MatchResult r = match_baseline(preset_job("gpt2-124m-skipv1"), preset_in_job("gpt2-124m"),
                                         {.measure = MatchMeasure::kParams});
    EXPECT_EQ(r.best_attempt().key, MatchKey::kDff);
    EXPECT_EQ(r.best_point()->value, 3072 + 176);  // 11 * 384 * 768 = 12 * 2 * 768 * 176
    EXPECT_THAT(r.sentence, HasSubstr("d_ff = 3248 makes the parameters equal: 124,373,760"));
    EXPECT_THAT(r.sentence,
                HasSubstr("equal too: non-embedding parameters, training FLOPs per token"));
    EXPECT_THAT(r.sentence, HasSubstr("not equal: cache bytes per token -8,448 (-22.92 %), which "
                                      "do not depend on d_ff"));
}

TEST(Match, LayersOfASharedCacheFillTheBaselines) {
    // YOCO with 24 layers keeps the keys and values of 12; 25 layers keep no more.
    const MatchAttempt a = attempt(job_of_model(R"({"arch": "yoco"})"), model_in_job("{}"),
                                   MatchMeasure::kCache, MatchKey::kNLayer);
    ASSERT_TRUE(a.exact);
    EXPECT_EQ(a.exact->value, 24);
}

TEST(Match, OfEqualSolutionsTheOneNearestToTheModelIsTaken) {
    const MatchAttempt a = attempt(job_of_model(R"({"arch": "yoco", "n_layer": 25})"),
                                   model_in_job("{}"), MatchMeasure::kCache, MatchKey::kNLayer);
    ASSERT_TRUE(a.exact);
    EXPECT_EQ(a.exact->value, 25);
}

TEST(Match, HeadsChangeAtTheirWidthAndInTheirGroups) {
    const json job = job_of_model(
        R"({"arch": "gqa", "n_layer": 2, "n_head": 8, "n_kv_head": 2, "d_model": 256})");
    const ModelConfig baseline = model_in_job(
        R"({"arch": "gqa", "n_layer": 2, "n_head": 12, "n_kv_head": 3, "d_model": 256, "d_head": 32})");
    const MatchAttempt a = attempt(job, baseline, MatchMeasure::kParams, MatchKey::kNHead);
    ASSERT_TRUE(a.exact);
    EXPECT_EQ(a.exact->value, 12);
    EXPECT_EQ(a.exact->model.n_kv_head, 3);
    EXPECT_EQ(a.exact->model.d_head, 32);
    EXPECT_EQ(a.exact->model.d_model, 256);
    expect_settings_make_the_model(job, *a.exact);
}

TEST(Match, ASingleKeyHeadStaysOne) {
    const json job = job_of_model(R"({"arch": "mqa", "n_layer": 2, "n_head": 4, "d_model": 128})");
    const MatchAttempt a = attempt(
        job, model_in_job(R"({"arch": "llama", "n_layer": 2, "n_head": 4, "d_model": 128})"),
        MatchMeasure::kParams, MatchKey::kNHead);
    ASSERT_TRUE(a.exact);
    EXPECT_EQ(a.exact->value,
              7);  // three heads of queries and outputs for three of keys and values
    EXPECT_EQ(a.exact->model.n_kv_head, 1);
}

TEST(Match, KeyHeadsAreDivisorsOfTheHeads) {
    const json job = preset_job("gpt2-124m");
    const MatchAttempt grouped =
        attempt(job, preset_in_job("gpt2-124m-skipv1"), MatchMeasure::kCache, MatchKey::kNKvHead);
    ASSERT_TRUE(grouped.below && grouped.above);
    EXPECT_EQ(grouped.below->value, 6);
    EXPECT_EQ(grouped.above->value, 12);
    const MatchAttempt halved =
        attempt(job, model_in_job(R"({"arch": "yoco", "vocab_size": 50304})"), MatchMeasure::kCache,
                MatchKey::kNKvHead);
    ASSERT_TRUE(halved.exact);
    EXPECT_EQ(halved.exact->value, 6);
    expect_settings_make_the_model(job, *halved.exact);
    const MatchAttempt latent = attempt(preset_job("llama-355m-mla"), preset_in_job("gpt2-124m"),
                                        MatchMeasure::kCache, MatchKey::kNKvHead);
    EXPECT_THAT(latent.refused, HasSubstr("latent attention"));
}

TEST(Match, WhatIsEqualAlreadyIsSaidToBe) {
    const MatchResult r =
        match_baseline(preset_job("gpt2-124m-wq-identity"), preset_in_job("gpt2-124m"),
                       {.measure = MatchMeasure::kCache});
    EXPECT_THAT(r.sentence, HasSubstr("the cache bytes per token are equal already: 36,864; not "
                                      "equal: parameters -7,077,888 (-5.69 %)"));
    EXPECT_EQ(r.best_point()->model, preset_in_job("gpt2-124m-wq-identity"));
}

TEST(Match, WhereNoSizeIsExactTheNearestIsNamed) {
    const MatchResult r = match_baseline(preset_job("gpt2-124m"), preset_in_job("gpt2-124m-skipv1"),
                                         {.measure = MatchMeasure::kCache});
    EXPECT_THAT(r.sentence, HasSubstr("no size makes the cache bytes per token equal; nearest is "
                                      "d_model = 588, which leaves -192 (-0.68 %); not equal: "));
    json fixed = preset_job("gpt2-124m");
    fixed["model"]["key"] = "identity";
    const MatchAttempt a =
        attempt(fixed, preset_in_job("gpt2-124m-skipv1"), MatchMeasure::kCache, MatchKey::kNKvHead);
    EXPECT_EQ(a.refused, "no other value of model.n_kv_head fits this model");
}

TEST(Match, AnIdentityQueryKeepsItsHeads) {
    const MatchAttempt a = attempt(preset_job("gpt2-124m-wq-identity"), preset_in_job("gpt2-124m"),
                                   MatchMeasure::kParams, MatchKey::kNHead);
    EXPECT_THAT(a.refused, HasSubstr("query = identity needs n_head * d_head = d_model = 768"));
}

TEST(Match, ATableOfOnesOwnKeepsItsLayers) {
    const MatchAttempt a = attempt(job_of_model(R"({"n_layer": 2, "n_head": 2, "d_model": 32,
                           "wiring": {"keys": ["own", 0], "values": ["own", "own"]}})"),
                                   model_in_job(R"({"n_layer": 4, "n_head": 2, "d_model": 32})"),
                                   MatchMeasure::kParams, MatchKey::kNLayer);
    EXPECT_THAT(a.refused, HasSubstr("model.wiring is a table for 2 layers"));
}

TEST(Match, RotatedHeadsStayEven) {
    const MatchAttempt a =
        attempt(job_of_model(
                    R"({"arch": "llama", "n_layer": 2, "n_head": 4, "d_model": 128, "d_ff": 344})"),
                model_in_job(R"({"arch": "llama", "n_layer": 2, "n_head": 4, "d_model": 144})"),
                MatchMeasure::kParams, MatchKey::kDModel);
    ASSERT_TRUE(a.below && a.above);
    EXPECT_EQ(a.above->value - a.below->value, 8);
    EXPECT_EQ(a.below->model.d_ff, (344 * a.below->value + 64) / 128);
}

TEST(Match, AMultipleCanBeAskedFor) {
    const MatchResult r = match_baseline(
        preset_job("gpt2-124m-skipv1"), preset_in_job("gpt2-124m"),
        {.measure = MatchMeasure::kParams, .vary = MatchKey::kDff, .multiple_of = 64});
    EXPECT_EQ(r.best_attempt().below->value, 3200);
    EXPECT_EQ(r.best_attempt().above->value, 3264);
}

TEST(Match, ReachesNoBaselineBeyondTheEndOfTheRange) {
    const MatchAttempt a = attempt(preset_job("gpt2-355m"), model_in_job(R"({"n_layer": 1})"),
                                   MatchMeasure::kParams, MatchKey::kDff);
    ASSERT_FALSE(a.exact || a.below);
    ASSERT_TRUE(a.above);
    EXPECT_EQ(a.above->value, 1);
    EXPECT_THAT(attempt_text(a, MatchMeasure::kParams),
                HasSubstr("no d_ff makes the parameters equal: even 1 leaves +"));
}

TEST(Match, AFullyWrittenJobIsMatchedLikeAShortOne) {
    const json full = to_json(parse_job(preset_job("gpt2-124m"), ""));
    const MatchAttempt a = attempt(full, preset_in_job("gpt2-124m-wq-identity"),
                                   MatchMeasure::kParams, MatchKey::kDModel);
    ASSERT_TRUE(a.above);
    EXPECT_EQ(a.above->model.d_ff, 2976);
    EXPECT_EQ(a.above->model.d_head, 62);
    expect_settings_make_the_model(full, *a.above);
}

/// Against counting up one by one.
TEST(Match, FindsWhatCountingUpFinds) {
    const char* variants[] = {
        R"({"arch": "skipv1", "inject": "pool", "n_layer": 3, "n_head": 4, "d_model": 32})",
        R"({"arch": "skipv1_mla", "n_layer": 3, "n_head": 4, "d_model": 32})",
        R"({"query": "nonlinear", "n_layer": 3, "n_head": 4, "d_model": 32, "d_ff": 100})",
        R"({"arch": "denseformer", "n_layer": 3, "n_head": 4, "d_model": 32})"};
    const ModelConfig baseline = model_in_job(R"({"n_layer": 5, "n_head": 5, "d_model": 50})");
    const int64_t target = count_parameters(baseline).total;
    const std::pair<MatchKey, const char*> keys[] = {{MatchKey::kNLayer, "n_layer"},
                                                     {MatchKey::kDff, "d_ff"}};
    for (const char* text : variants)
        for (const auto& [key, name] : keys) {
            SCOPED_TRACE(testing::Message() << text << " " << name);
            const MatchAttempt a =
                attempt(job_of_model(text), baseline, MatchMeasure::kParams, key);
            int64_t value = 1, below = 0;
            for (;; ++value) {
                json job = job_of_model(text);
                job["model"][name] = value;
                const int64_t count = count_parameters(parse_job(job, "").model).total;
                if (count >= target) break;
                below = count;
            }
            const MatchPoint* best = a.exact ? &*a.exact : &*a.above;
            EXPECT_EQ(best->value, value);
            if (a.below) {
                EXPECT_EQ(a.below->count(MatchMeasure::kParams).model, below);
            }
        }
}

TEST(Match, JsonTellsWhatToSet) {
    const json j =
        to_json(match_baseline(preset_job("gpt2-124m-wq-identity"), preset_in_job("gpt2-124m"),
                               {.measure = MatchMeasure::kParams}));
    EXPECT_EQ(j["by"], "params");
    EXPECT_EQ(j["target"], 124'373'760);
    EXPECT_EQ(j["before"], 117'295'872);
    EXPECT_EQ(j["best"]["vary"], "d_ff");
    EXPECT_TRUE(j["best"]["exact"].get<bool>());
    EXPECT_EQ(j["best"]["value"], 3456);
    EXPECT_EQ(j["best"]["set"], json::parse(R"(["model.d_ff=3456"])"));
    EXPECT_EQ(j["attempts"].size(), 5u);
    EXPECT_EQ(j["attempts"][0]["exact"]["value"], 3456);
    EXPECT_TRUE(j["attempts"][3]["exact"].is_null());
    EXPECT_FALSE(j["attempts"][3]["refused"].is_null());
}

TEST(Match, WordsOfTheOptionsAreChecked) {
    EXPECT_EQ(parse_match_measure("non-embedding"), MatchMeasure::kNonEmbedding);
    EXPECT_EQ(parse_match_key("n_head"), MatchKey::kNHead);
    EXPECT_THROW(parse_match_measure("param"), UserError);
    EXPECT_THROW(parse_match_key("width"), UserError);
}

}  // namespace
}  // namespace headroom
