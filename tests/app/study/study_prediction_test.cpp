#include "app/study/study_prediction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/study/study_templates.h"
#include "core/base/error.h"

namespace headroom {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json study_document(const std::string& data) {
    json document = json::parse(R"({"schema": "headroom-study/1", "name": "test", "seeds": [1, 2],
        "job": {"model": {"n_layer": 2, "n_head": 2, "d_model": 16, "block_size": 16},
                "train": {"steps": 6, "batch_size": 2, "grad_accum": 3, "seq_len": 16,
                          "warmup_steps": 1, "eval_every": 4, "eval_batches": 5}},
        "runs": [{"id": "small"}, {"id": "twice", "job": {"train": {"steps": 12}}},
                 {"id": "wide", "job": {"model": {"d_model": 32}}, "seeds": [1]}]})");
    document["job"]["data"] = {{"train", data}, {"val", "split:0.1"}};
    return document;
}

Study study_of(const std::string& data) {
    return parse_study(study_document(data), "test");
}

TEST(StudyPrediction, CountsEveryRunAndTimesEveryModel) {
    const auto device = make_cpu_device();
    const StudyPrediction all = predict_study(study_of("task:grammar"), std::nullopt, *device);
    ASSERT_EQ(all.variants.size(), 3u);
    EXPECT_EQ(all.runs, 5);
    EXPECT_EQ(all.tokens, (2 * 6 + 2 * 12 + 6) * 2 * 3 * 16);
    const PredictedVariant &small = all.variants[0], &twice = all.variants[1];
    EXPECT_EQ(small.variant, "small");
    EXPECT_EQ(small.runs, 2);
    EXPECT_EQ(twice.cost.flops, 2 * small.cost.flops);
    // 2 and 3 evaluations of 5 batches, forward alone: a third of the FLOPs of training.
    EXPECT_DOUBLE_EQ(small.cost.eval_flops, small.cost.flops / 3 * (2 * 5.0) / (6 * 3));
    EXPECT_DOUBLE_EQ(twice.cost.eval_flops, small.cost.eval_flops * 3 / 2);
    EXPECT_GT(all.variants[2].memory_bytes, small.memory_bytes);
    EXPECT_EQ(all.memory_bytes, all.variants[2].memory_bytes);
    double seconds = 0;
    for (const PredictedVariant& variant : all.variants) {
        EXPECT_TRUE(variant.timed) << variant.variant;
        EXPECT_GT(variant.seconds, 0) << variant.variant;
        seconds += static_cast<double>(variant.runs) * variant.seconds;
    }
    EXPECT_DOUBLE_EQ(all.seconds, seconds);
    // One speed for both lengths of the same model.
    const auto work = [](const PredictedVariant& v) { return v.cost.flops + v.cost.eval_flops; };
    EXPECT_NEAR(work(small) / small.seconds, work(twice) / twice.seconds,
                1e-9 * work(small) / small.seconds);

    const json document = to_json(all);
    EXPECT_EQ(document.at("total").at("runs"), 5);
    EXPECT_EQ(document.at("variants").at(1).at("tokens"), 12 * 2 * 3 * 16);
    EXPECT_THAT(prediction_text(all), HasSubstr("in all: 5 runs"));
}

TEST(StudyPrediction, AddsUpDiskOfAllRunsAndTakesTheMostMemory) {
    json document = study_document("task:grammar");
    std::swap(document["runs"][0], document["runs"][2]);
    const auto device = make_cpu_device();
    const StudyPrediction all = predict_study(parse_study(document, "test"), std::nullopt, *device);
    ASSERT_EQ(all.variants.size(), 3u);
    EXPECT_EQ(all.variants[0].variant, "wide");
    EXPECT_EQ(all.memory_bytes, all.variants[0].memory_bytes);
    EXPECT_EQ(all.disk_bytes, all.variants[0].cost.disk_bytes +
                                  2 * all.variants[1].cost.disk_bytes +
                                  2 * all.variants[2].cost.disk_bytes);
    EXPECT_EQ(all.flops, all.variants[0].cost.flops + 2 * all.variants[1].cost.flops +
                             2 * all.variants[2].cost.flops);
}

TEST(StudyPrediction, KnowsADeclaredVocabularyAndAsksForOneThatIsNot) {
    const auto device = make_cpu_device();
    const StudyPrediction declared =
        predict_study(study_of("tokens:not/there.bin?vocab=300"), std::nullopt, *device);
    EXPECT_EQ(declared.variants[0].job.model.vocab_size, 300);
    EXPECT_THAT([&] { predict_study(study_of("tokens:not/there.bin"), std::nullopt, *device); },
                testing::ThrowsMessage<UserError>(HasSubstr("not/there.bin")));
}

TEST(StudyPrediction, HoursBecomeTokensOfTheRunsThatDoNotSayTheirSteps) {
    StudyPrediction prediction;
    prediction.runs = 5;
    prediction.tokens = 5000;
    prediction.seconds = 5 * 3600;
    for (const char* name : {"small", "twice", "wide"}) {
        PredictedVariant variant;
        variant.variant = name;
        variant.cost.tokens = 1000;
        variant.seconds = 3600;  // 3.6 s a token
        prediction.variants.push_back(variant);
    }
    // small: 2 runs, wide: 1 run; twice: 2 runs of 12 steps of 96 tokens, 8,294.4 s in all.
    const auto with = [](int64_t tokens) {
        json document = study_document("task:grammar");
        document["budget"] = {{"tokens", tokens}};
        return parse_study(document, "test");
    };
    const int64_t tokens = tokens_within(100, prediction, with);
    EXPECT_EQ(tokens, 32000);  // (360,000 - 8,294.4) / (3 * 3.6) = 32,565
    EXPECT_THAT([&] { tokens_within(1, prediction, with); },
                testing::ThrowsMessage<UserError>(HasSubstr("too few")));
    prediction.search = true;
    EXPECT_THAT([&] { tokens_within(100, prediction, with); },
                testing::ThrowsMessage<UserError>(HasSubstr("rungs")));
}

TEST(StudyPrediction, CountsASearchAsLongAsItsTrials) {
    const auto device = make_cpu_device();
    const StudyTemplate chosen = find_template(templates_folder(), "wiring-search", "laptop");
    const Study study = template_study(chosen, "laptop");
    const auto search = template_search(chosen, "laptop");
    const StudyPrediction all = predict_study(study, search, *device);
    EXPECT_EQ(all.variants.back().variant, "search");
    EXPECT_EQ(all.runs, std::ssize(study.runs));
    EXPECT_TRUE(all.search);
    EXPECT_EQ(all.tokens, training_tokens(study, search));
}

}  // namespace
}  // namespace headroom
