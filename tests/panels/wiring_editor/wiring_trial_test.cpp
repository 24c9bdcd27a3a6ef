#include "panels/wiring_editor/wiring_trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/job_json.h"
#include "panels/wiring_editor/wiring_editor.h"

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

std::vector<TrialWay> ways_of(const ModelConfig& trained, const ModelConfig& drawn) {
    return trial_ways(trained, drawn, projected_heads(drawn.wiring));
}

std::string refusal(const std::vector<TrialWay>& ways, const std::string& name) {
    for (const TrialWay& way : ways)
        if (way.name == name) return way.refusal;
    return "not there";
}

TEST(WiringTrial, EveryWayOfUptrainingIsOfferedWhereItFits) {
    const ModelConfig own = model_of({{"arch", "gpt2"}});
    const auto skip = ways_of(own, model_of({{"arch", "skipv1"}}));
    EXPECT_EQ(skip.front().name, "rewire");
    for (const char* way : {"rewire", "mean_v", "mean_vo", "top_v", "top_vo", "svd"})
        EXPECT_EQ(refusal(skip, way), "");
    EXPECT_THAT(refusal(skip, "mean_kv"), HasSubstr("groups"));
    const auto all = ways_of(own, model_of({{"arch", "svformer"}}));
    EXPECT_EQ(refusal(all, "rewire"), "");
    EXPECT_THAT(refusal(all, "svd"), HasSubstr("no layer reads half of its values"));
    const auto groups = ways_of(own, model_of({{"arch", "gpt2"}, {"n_kv_head", 2}}));
    EXPECT_EQ(refusal(groups, "mean_kv"), "");
    EXPECT_EQ(refusal(groups, "rewire"), "");
    const auto back = ways_of(model_of({{"arch", "skipv1"}}), own);
    EXPECT_THAT(refusal(back, "rewire"), HasSubstr("which the weights do not have"));
}

// The table of a drawing does not say which of two heads' weights a shared one has; its edits do.
TEST(WiringTrial, WhatIsRefusedOfEditsOfACommandIsRefusedOfADrawing) {
    Job job;
    job.model = model_of({{"arch", "gpt2"}});
    const auto why_not = [&](const std::vector<std::string>& lines) {
        WiringEditor editor;
        editor.begin("own", job);
        for (const std::string& line : lines)
            EXPECT_TRUE(editor.apply(parse_wiring_edit(line, editor.wiring(), {}))) << line;
        const WiringDrawing& drawn = editor.drawing();
        return refusal(trial_ways(job.model, drawn.job->model, drawn.projected), "rewire");
    };
    const std::string line = "values 1.0 read 1.1";
    try {
        edited(job.model.wiring, {line}, {}, EditFor::kWeights);
        ADD_FAILURE() << "not refused";
    } catch (const UserError& error) {
        EXPECT_EQ(why_not({line}), error.what());
        EXPECT_EQ(why_not({line, "keys 2 read 1"}), error.what());
    }
    EXPECT_EQ(why_not({"values 1.1 read 1.0"}), "") << "the same table";
    EXPECT_EQ(why_not({line, "values 1.0 read 0"}), "");

    WiringEditor editor;
    editor.begin("own", job);
    editor.apply(parse_wiring_edit(line, editor.wiring(), {}));
    editor.undo();
    EXPECT_EQ(editor.drawing().projected, projected_heads(job.model.wiring));
    editor.redo();
    EXPECT_NE(editor.drawing().projected, projected_heads(editor.wiring()));
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
