#include "core/wiring/wiring_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace headroom {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(WiringJson, EveryMechanismComesBackAsItWasWritten) {
    for (const char* value : {"own", "skip", "res", "sv", "yoco", "cla"})
        for (const char* key : {"own", "skip", "yoco", "cla"}) {
            WiringChoice choice;
            choice.value_source = value;
            choice.key_source = key;
            const Wiring wiring = build_wiring(choice, 4, 4, 4);
            EXPECT_EQ(parse_wiring(to_json(wiring), 4, 4, 4), wiring) << value << ", " << key;
        }
}

TEST(WiringJson, ReadsAUsersTableWithItsShortForms) {
    const json table =
        json::parse(R"({"values": ["own", [[[0, 1]], [[1, 0, 0.5], [0, 0, 0.5]]], 0]})");
    const Wiring w = parse_wiring(table, 3, 2, 2);
    EXPECT_EQ(w.values[0][1], (HeadSources{{0, 1, 1.0}}));
    EXPECT_EQ(w.values[1][0], (HeadSources{{0, 1, 1.0}}));
    EXPECT_EQ(w.values[1][1], (HeadSources{{1, 0, 0.5}, {0, 0, 0.5}}));
    EXPECT_EQ(w.values[2][1], (HeadSources{{0, 1, 1.0}}));
    EXPECT_THAT(w.own_value_heads, ElementsAre(2, 1, 0));
    EXPECT_THAT(w.own_key_heads, ElementsAre(2, 2, 2));
}

void expect_refused(const std::string& text, const std::string& part) {
    EXPECT_THAT([&] { parse_wiring(json::parse(text), 2, 2, 2); },
                ThrowsMessage<UserError>(HasSubstr(part)))
        << text;
}

TEST(WiringJson, NamesThePlaceOfEveryMistake) {
    expect_refused("[]", "model.wiring is not a table");
    expect_refused(R"({"vlaues": []})", "did you mean \"values\"?");
    expect_refused(R"({"keys": []})", "model.wiring.keys is not a list of model.n_layer = 2");
    expect_refused(R"({"keys": ["own", "mine"]})", "model.wiring.keys[1] is not a layer");
    expect_refused(R"({"keys": ["own", 7]})", "model.wiring.keys[1][0] reads layer 7");
    expect_refused(R"({"keys": ["own", -1]})", "model.wiring.keys[1] is not the number");
    expect_refused(R"({"keys": ["own", [[[1, 0]]]]})", "model.wiring.keys[1] has 1 heads");
    expect_refused(R"({"keys": ["own", [[1, 0], [1, 1]]]})", "keys[1][0][0] is not a source");
    expect_refused(R"({"keys": ["own", [[[1]], [[1, 1]]]]})", "keys[1][0][0] is not a source");
    expect_refused(R"({"keys": ["own", [[[1, 0.5]], [[1, 1]]]]})", "keys[1][0][0][1] is not");
    expect_refused(R"({"keys": ["own", [[[1, 18446744073709551615]], [[1, 1]]]]})",
                   "keys[1][0][0][1] is not");
    expect_refused(R"({"keys": ["own", [[[1, 0, "x"]], [[1, 1]]]]})",
                   "[2] = \"x\" is not a weight");
}

TEST(WiringJson, ATableLeftOutIsWhatTheKeysMakeIt) {
    WiringChoice choice;
    choice.value_source = "skip";
    const json table = json::parse(R"({"keys": ["own", 0]})");
    const Wiring w = parse_wiring(table, 2, 2, 2, choice);
    EXPECT_EQ(w.values[1][1], (HeadSources{{0, 1}}));
    EXPECT_EQ(w.keys[1][1], (HeadSources{{0, 1}}));
    EXPECT_EQ(parse_wiring(table, 2, 2, 2).values[1][1], (HeadSources{{1, 1}}));
}

TEST(WiringJson, LearnedWeightsFollowTheLambdaOfTheReadingLayer) {
    const json table =
        json::parse(R"({"values": ["own", [[[1, 0, "lambda"], [0, 0, "1-lambda"]], [[0, 1]]]]})");
    const Wiring w = parse_wiring(table, 2, 2, 2);
    EXPECT_EQ(w.values[1][0],
              (HeadSources{{1, 0, kInitialLambda, SourceWeight::kLambda},
                           {0, 0, 1.0 - kInitialLambda, SourceWeight::kOneMinusLambda}}));
    EXPECT_FALSE(learns_lambda(w, 0));
    EXPECT_TRUE(learns_lambda(w, 1));
    EXPECT_EQ(to_json(w)["values"][1], table["values"][1]);
}

}  // namespace
}  // namespace headroom
