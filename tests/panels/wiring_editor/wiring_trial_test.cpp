#include "panels/wiring_editor/wiring_trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/job_json.h"

namespace headroom {
namespace {

using testing::HasSubstr;

ModelConfig model_of(nlohmann::json keys) {
    keys["vocab_size"] = 16;
    keys["n_layer"] = 4;
    keys["n_head"] = 4;
    keys["d_model"] = 32;
    return parse_job({{"model", keys}}, "").model;
}

std::string refusal(const std::vector<TrialWay>& ways, const std::string& name) {
    for (const TrialWay& way : ways)
        if (way.name == name) return way.refusal;
    return "not there";
}

TEST(WiringTrial, EveryWayOfUptrainingIsOfferedWhereItFits) {
    const ModelConfig own = model_of({{"arch", "gpt2"}});
    const auto skip = trial_ways(own, model_of({{"arch", "skipv1"}}));
    EXPECT_EQ(skip.front().name, "rewire");
    for (const char* way : {"rewire", "mean_v", "mean_vo", "top_v", "top_vo", "svd"})
        EXPECT_EQ(refusal(skip, way), "");
    EXPECT_THAT(refusal(skip, "mean_kv"), HasSubstr("groups"));
    const auto all = trial_ways(own, model_of({{"arch", "svformer"}}));
    EXPECT_EQ(refusal(all, "rewire"), "");
    EXPECT_THAT(refusal(all, "svd"), HasSubstr("no layer reads half of its values"));
    const auto groups = trial_ways(own, model_of({{"arch", "gpt2"}, {"n_kv_head", 2}}));
    EXPECT_EQ(refusal(groups, "mean_kv"), "");
    EXPECT_EQ(refusal(groups, "rewire"), "");
    const auto back = trial_ways(model_of({{"arch", "skipv1"}}), own);
    EXPECT_THAT(refusal(back, "rewire"), HasSubstr("which the weights do not have"));
}

TEST(WiringTrial, TheWorkersResultIsRead) {
    const auto trial = [](const char* result) { return read_trial(nlohmann::json::parse(result)); };
    EXPECT_EQ(trial_words(trial(R"({"loss": 2.0, "rewired": 2.5, "sequences": 8, "seq_len": 64,
                                    "standard_error": 0.01})")),
              "loss 2.0000 → 2.5000: +0.5000 ± 0.0100 nats per token, in 8 sequences of 64 tokens");
    EXPECT_EQ(trial_words(trial(R"({"loss": 2.0, "rewired": 1.5, "sequences": 1, "seq_len": 64,
                                    "standard_error": null})")),
              "loss 2.0000 → 1.5000: −0.5000 nats per token, in 1 sequence of 64 tokens");
    for (const char* result : {"3", "[]", "{}", R"({"loss": 2})", R"({"loss": "2"})"})
        EXPECT_THROW(trial(result), UserError) << result;
}

TEST(WiringTrial, TheWorkerIsToldWhatWasChosen) {
    const TrialRun run{"a", "a", "/s/runs/a", 500, nullptr};
    EXPECT_THAT(trial_arguments(run, "svd", 12, "/t/wiring.json", "/t/out.h5"),
                testing::ElementsAre("probe", "wiring", "/s/runs/a", "--step", "500", "--wiring",
                                     "/t/wiring.json", "--convert", "svd", "--batch-size", "12",
                                     "--out", "/t/out.h5", "--stream"));
}

}  // namespace
}  // namespace headroom
