#include "app/study/claims_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ClaimsText, SaysInWhatAClaimIsNotAsOthers) {
    Claim claim;
    claim.measure = "final";
    EXPECT_THAT(conditions_of(claim), IsEmpty());
    claim.by_seed = true;
    claim.at_tokens = 0;
    EXPECT_THAT(conditions_of(claim),
                ElementsAre("pairs agree in seed and data, not in what they were trained on",
                            "final at 0 tokens, not at the end"));
}

TEST(ClaimsText, JsonHasEveryNumberUnderItsName) {
    ClaimAnswer answer;
    answer.claim.text = "a < b - 0.1 by val.loss";
    answer.claim.measure = "final";
    StepAnswer step;
    step.step.left = "a";
    step.step.right = "b";
    step.step.bound = -0.125;
    step.n = 3;
    step.estimate = -0.25;
    step.interval = Interval{-0.5, 0.0625};
    step.p = 0.25;
    step.p_holm = 0.75;
    step.seeds_needed = 7;
    step.notes = {"a note"};
    answer.steps = {step};
    const nlohmann::json document = claims_json({answer});
    EXPECT_EQ(document, nlohmann::json::parse(R"({"held": 0, "did_not_hold": 0, "not_decided": 1,
        "claims": [{"claim": "a < b - 0.1 by val.loss", "says": "", "source": "",
          "measure": "final", "at_tokens": null, "pair": "batches", "verdict": "not decided",
          "n": 3, "more_seeds": 4, "steps": [
            {"left": "a", "right": "b", "of": "difference", "relation": "<", "bound": -0.125,
             "within": null, "verdict": "not decided", "n": 3, "estimate": -0.25, "low": -0.5,
             "high": 0.0625, "p": 0.25, "p_holm": 0.75, "seeds_needed": 7,
             "notes": ["a note"]}]}]})"));
}

}  // namespace
}  // namespace headroom
