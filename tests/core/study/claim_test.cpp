#include "core/study/claim.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/study/study.h"

namespace headroom {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<ClaimStep> steps(const std::string& text) {
    return parse_claim(text, "expect[0]").steps;
}

void refused(const std::string& text, const std::string& because) {
    EXPECT_THAT(
        [&] { parse_claim(text, "expect[0]"); },
        ThrowsMessage<UserError>(testing::AllOf(HasSubstr("expect[0]"), HasSubstr(because))))
        << text;
}

TEST(Claim, OrdersTwoRunsByAMeasure) {
    const Claim claim = parse_claim("skipv1 < baseline by val.loss", "e");
    EXPECT_EQ(claim.measure, "final");
    EXPECT_THAT(claim.steps, ElementsAre(ClaimStep{"skipv1", "baseline"}));
    EXPECT_EQ(claim.text, "skipv1 < baseline by val.loss");
    EXPECT_EQ(parse_claim("a > b by val.best", "e").measure, "best");
    EXPECT_EQ(parse_claim("a > b by val.last-5", "e").measure, "last-5");
    EXPECT_EQ(parse_claim("a > b by train/grad_norm", "e").measure, "train/grad_norm");
}

TEST(Claim, OrdersAsManyAsAreNamed) {
    EXPECT_THAT(steps("a < b - 0.01 < c-2 by best"),
                ElementsAre(ClaimStep{"a", "b", false, ClaimRelation::kLess, -0.01},
                            ClaimStep{"b", "c-2", false, ClaimRelation::kLess, 0}))
        << "blanks tell a minus from the name of a run";
}

TEST(Claim, SetsARatioAgainstANumber) {
    EXPECT_THAT(steps("a / b < 0.99 by final"),
                ElementsAre(ClaimStep{"a", "b", true, ClaimRelation::kLess, 0.99}));
    EXPECT_THAT(steps("a / b = 0.5 by kv_bytes_per_token"),
                ElementsAre(ClaimStep{"a", "b", true, ClaimRelation::kEqual, 0.5}));
}

TEST(Claim, EqualitySaysWithinWhat) {
    EXPECT_THAT(steps("a = b + 0.1 by val.loss within 0.02"),
                ElementsAre(ClaimStep{"a", "b", false, ClaimRelation::kEqual, 0.1, 0.02}));
    refused("a = b by val.loss", "equal within what");
    refused("a = b by val.loss within 0", "leaves no room");
    refused("a < b by val.loss within 1", "\"within\" goes with =");
}

TEST(Claim, WhatCannotBeReadIsSaid) {
    refused("", "a run is missing");
    refused("a", "<, > or = is missing behind \"a\"");
    refused("a < by val.loss", "a run is missing behind \"<\"");
    refused("a < b", "\"by\" and a measure are missing");
    refused("a < b by", "a measure is missing");
    refused("a < b by final please", "\"please\" is too much");
    refused("a / b < c by final", "a number is missing");
    refused("a / b < nan by final", "a number is missing");
    refused("a < b - c by final", "a number is missing");
    refused("a ≤ b by final", "<, > or = is missing");
    refused("a < b by val.los", "the measure los is not known");
    refused("a < b by train/grad_nrm", "did you mean \"train/grad_norm\"?");
}

json study() {
    return json::parse(R"({ "schema": "headroom-study/1", "name": "s",
        "job": { "model": { "preset": "demo" } }, "seeds": [1, 2],
        "runs": [ { "id": "baseline" }, { "id": "skipv1" } ],
        "expect": [ "skipv1 < baseline by val.loss",
                    { "claim": "skipv1 = baseline by best within 0.1", "at": 5000,
                      "says": "They are alike.", "source": "figure 1" } ] })");
}

TEST(Claim, StandsInAStudy) {
    const Study parsed = parse_study(study(), "study.json");
    ASSERT_EQ(parsed.expect.size(), 2u);
    EXPECT_EQ(parsed.expect[1].says, "They are alike.");
    EXPECT_EQ(parsed.expect[1].source, "figure 1");
    EXPECT_EQ(parsed.expect[1].at_tokens, 5000);
}

TEST(Claim, NamesRunsOfItsStudyAlone) {
    const auto refuse = [](const char* key, const json& value, const char* because) {
        json document = study();
        document["expect"][1][key] = value;
        EXPECT_THAT([&] { parse_study(document, "study.json"); },
                    ThrowsMessage<UserError>(HasSubstr(because)));
    };
    refuse("claim", "skipv2 < baseline by best", "did you mean \"skipv1\"?");
    refuse("at", -1, "no number of tokens");
    refuse("pair", "steps", "\"pair\" = \"steps\" is not known");
    refuse("sayz", "x", "did you mean \"says\"?");
    refuse("says", 1, "is not text");
    json document = study();
    document["expect"] = "a < b";
    EXPECT_THROW(parse_study(document, "study.json"), UserError);
}

}  // namespace
}  // namespace headroom
