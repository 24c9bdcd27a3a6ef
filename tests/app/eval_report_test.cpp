#include "app/eval_report.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace headroom {
namespace {

/// Of two items one is right.
EvaluationScores scores() {
    TaskResults lambada{"lambada", "l.jsonl", true, {}};
    for (const bool right : {true, false}) {
        ItemResult item;
        item.log_probabilities = {right ? -2.0 : -4.0};
        item.characters = item.tokens = {1};
        item.greedy = right;
        lambada.items.push_back(item);
    }
    return {"model.safetensors", 10, "byte", "float32", {lambada}};
}

TEST(EvalReport, JsonSaysWhichOfTwoModelsAloneIsRight) {
    TaskComparison comparison;
    comparison.task = "lambada";
    comparison.difference = {0.25, 0.125, 2};
    comparison.only_first = 3;
    comparison.only_second = 1;
    comparison.p = 0.625;
    const nlohmann::json document = scores_json(scores(), {comparison});
    EXPECT_EQ(document.at("against"),
              nlohmann::json::parse(R"({"acc": 0.25, "acc_stderr": 0.125, "only_here": 3,
                                        "only_there": 1, "mcnemar_p": 0.625})"));
    EXPECT_EQ(document.at("acc"), 0.5);
    EXPECT_EQ(document.at("acc_stderr"), 0.5);
}

TEST(EvalReport, TheHarnessFileSaysOfWhatMoreIsBetter) {
    const nlohmann::json document = harness_json(scores(), 2);
    EXPECT_EQ(document.at("higher_is_better").at("lambada"),
              nlohmann::json::parse(R"({"acc": true, "perplexity": false})"));
    const nlohmann::json& numbers = document.at("results").at("lambada");
    EXPECT_EQ(numbers.at("acc,none"), 0.5);
    EXPECT_DOUBLE_EQ(numbers.at("perplexity,none"), std::exp(3));
    EXPECT_DOUBLE_EQ(numbers.at("perplexity_stderr,none"), std::exp(3));
    EXPECT_EQ(document.at("n-samples").at("lambada").at("effective"), 2);
}

}  // namespace
}  // namespace headroom
