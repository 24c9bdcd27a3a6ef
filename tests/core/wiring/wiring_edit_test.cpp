#include "core/wiring/wiring_edit.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/wiring/source_rules.h"
#include "core/wiring/wiring_groups.h"
#include "core/wiring/wiring_json.h"

namespace headroom {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Wiring own_wiring() {
    return build_wiring({}, 4, 4, 4);
}

/// The table after the edits, each of which must be possible.
Wiring after(Wiring wiring, const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
        const WiringEditResult result = apply(wiring, parse_wiring_edit(line, wiring, {}));
        if (!result.wiring) throw UserError(line + ": " + result.refusal);
        wiring = *result.wiring;
    }
    return wiring;
}

std::string refusal(const Wiring& wiring, const std::string& line) {
    const WiringEditResult result = apply(wiring, parse_wiring_edit(line, wiring, {}));
    EXPECT_FALSE(result.wiring) << line;
    return result.refusal;
}

Wiring variant(const char* value, const char* key = "own") {
    WiringChoice choice;
    choice.value_source = value;
    choice.key_source = key;
    return build_wiring(choice, 4, 4, 4);
}

TEST(WiringEdit, VariantsOfThePapersAreAFewEditsOfTheBaseline) {
    EXPECT_EQ(after(own_wiring(), {"values 1-3.2-3 read 0"}), variant("skip"));
    EXPECT_EQ(after(own_wiring(), {"both 1-3.2-3 read 0"}), variant("skip", "skip"));
    EXPECT_EQ(after(own_wiring(), {"values 1-3 read 0"}), variant("sv"));
    EXPECT_EQ(after(own_wiring(), {"both 2-3 read 1"}), variant("yoco", "yoco"));
    EXPECT_EQ(after(own_wiring(), {"values 1 read 0", "values 3 read 2"}), variant("cla"));
    EXPECT_EQ(after(own_wiring(), {"values 1 weigh 1 0.5", "values 2 weigh 2 0.5",
                                   "values 3 weigh 3 0.5", "values 1-3 add 0 0.5"}),
              variant("res"));
    WiringChoice learned;
    learned.value_source = "res";
    learned.res_lambda_learned = true;
    EXPECT_EQ(after(own_wiring(), {"values 1 weigh 1 lambda", "values 2 weigh 2 lambda",
                                   "values 3 weigh 3 lambda", "values 1-3 add 0 1-lambda"}),
              build_wiring(learned, 4, 4, 4));
}

TEST(WiringEdit, ARuleAsABrushGivesItsTableWhateverStoodThere) {
    for (const SourceRule& rule : source_rules())
        for (const Wiring& before : {own_wiring(), variant("sv", "cla"), variant("yoco")}) {
            EXPECT_EQ(after(before, {"values * rule " + rule.name, "keys * rule own"}),
                      variant(rule.name.c_str()))
                << rule.name;
        }
}

TEST(WiringEdit, ProjectionsAreNumberedWithoutGaps) {
    const Wiring moved = after(own_wiring(), {"values 2.1 read 0"});
    EXPECT_THAT(moved.own_value_heads, ElementsAre(4, 4, 3, 4));
    EXPECT_THAT(moved.values[2], ElementsAre(HeadSources{{2, 0}}, HeadSources{{0, 1}},
                                             HeadSources{{2, 1}}, HeadSources{{2, 2}}));
    EXPECT_EQ(after(moved, {"values 2.1 own"}), own_wiring());
    // What later layers read stays where its own layer turns away from it, and waits.
    const Wiring kept = after(own_wiring(), {"values 3 read 2", "values 2.0 read 1"});
    EXPECT_THAT(kept.own_value_heads, ElementsAre(4, 4, 4, 0));
    EXPECT_EQ(after(kept, {"values 2.0 own", "values 3 own"}), own_wiring());
}

// A model that has weights was measured with those of another head.
TEST(WiringEdit, AProjectionIsForTheHeadThatReadsItFirstOfItsOwn) {
    const Wiring added = after(own_wiring(), {"values 1.0 add 1.1"});
    for (const int head : {0, 1, 2, 3}) EXPECT_EQ(column_of(added.values, {1, head}), head);
    const auto misplaced = [](const Wiring& wiring, const std::string& line) {
        const WiringEditResult result = apply(wiring, parse_wiring_edit(line, wiring, {}));
        return headroom::misplaced(*result.wiring, result.projected);
    };
    EXPECT_EQ(misplaced(own_wiring(), "values 1.0 add 1.1"), "");
    EXPECT_EQ(misplaced(own_wiring(), "values 1.1 read 1.0"), "");
    EXPECT_EQ(misplaced(own_wiring(), "values 2-3.1 read 0"), "");
    EXPECT_THAT(misplaced(own_wiring(), "keys 1.0 read 1.1"),
                HasSubstr("in layer 1 what is projected for head 1 would count as head 0's"));
    // What a later layer alone reads loses its number where heads before it lose theirs.
    const Wiring waiting = after(own_wiring(), {"values 3.1 read 2"});
    EXPECT_NE(misplaced(waiting, "values 2.0-1 read 1"), "");
    EXPECT_NO_THROW(edited(own_wiring(), {"values 1.0 read 1.1"}, {}));
    EXPECT_THROW(edited(own_wiring(), {"values 1.0 read 1.1"}, {}, EditFor::kWeights), UserError);
}

TEST(WiringEdit, WhetherWeightsCanBeMovedIsAskedOfAllEditsTogether) {
    const auto with_weights = [](const std::vector<std::string>& lines) {
        return edited(own_wiring(), lines, {}, EditFor::kWeights);
    };
    // The head that a layer's projection was misplaced for reads elsewhere in the end.
    const std::vector<std::string> mended{"values 1.0 read 1.1", "values 1.0 read 0"};
    EXPECT_EQ(with_weights(mended), after(own_wiring(), {"values 1.0 read 0"}));
    // Nor does a line that leaves it as it is make it right.
    for (const char* line : {"values 2.0 read 1", "keys 1.0 read 0", "values 1.3 read 1.2"})
        EXPECT_THAT(
            [&] {
                with_weights({"values 1.0 read 1.1", line});
            },
            testing::ThrowsMessage<UserError>(
                AllOf(HasSubstr("in layer 1 what is projected for head 1 would count as head 0"),
                      HasSubstr("; let the later head read the earlier one"))))
            << line;
}

TEST(WiringEdit, AHeadWithoutAProjectionStandsForWhatItReads) {
    const Wiring shared = after(own_wiring(), {"keys 1 read 0", "keys 3 read 1"});
    EXPECT_EQ(shared.keys[3], shared.keys[1]);
    EXPECT_EQ(after(shared, {"keys 2 copy 1"}).keys[2], shared.keys[1]);
    EXPECT_EQ(after(shared, {"keys 3 copy 2"}).keys, after(shared, {"keys 3 own"}).keys);
}

TEST(WiringEdit, APatternIsRepeatedMirroredAndReversed) {
    EXPECT_EQ(after(own_wiring(), {"both 1 read 0", "both 2-3 copy 0-1"}), variant("cla", "cla"));
    EXPECT_EQ(after(own_wiring(), {"values 1.2-3 read 0", "values 2-3 copy 1"}), variant("skip"));
    const Wiring mirrored = after(variant("skip"), {"values * mirror"});
    EXPECT_EQ(mirrored, after(own_wiring(), {"values 1-3.0-1 read 0"}));
    EXPECT_EQ(after(mirrored, {"values * mirror"}), variant("skip"));
    EXPECT_EQ(after(own_wiring(), {"values 2.1 read 0", "values 1-3 reverse"}).values,
              after(own_wiring(), {"values 2.1 read 0"}).values);
    EXPECT_EQ(after(own_wiring(), {"values 1.1 read 0", "values 1-3 reverse"}),
              after(own_wiring(), {"values 3.1 read 0"}));
    EXPECT_EQ(after(own_wiring(), {"values 1-3 weigh own 0.5", "values 1-3 add 0 0.5"}),
              variant("res"));
    EXPECT_THAT(refusal(variant("cla"), "values 0-1 reverse"), HasSubstr("comes after it"));
    EXPECT_THAT(refusal(own_wiring(), "values 0-3 copy 1"), HasSubstr("comes after it"));
}

TEST(WiringGroups, HeadsAreGroupedAndComeApart) {
    const Wiring own = build_wiring({}, 4, 8, 8);
    EXPECT_EQ(*with_kv_heads(own, 2).wiring, build_wiring({}, 4, 8, 2));
    EXPECT_EQ(*with_kv_heads(build_wiring({}, 4, 8, 2), 8).wiring, own);
    WiringChoice skip;
    skip.value_source = "skip";
    EXPECT_EQ(*with_kv_heads(build_wiring(skip, 4, 8, 8), 4).wiring, build_wiring(skip, 4, 8, 4));
    EXPECT_EQ(*with_kv_heads(build_wiring(skip, 4, 8, 4), 8).wiring, build_wiring(skip, 4, 8, 8));
    skip.inject = "pool";  // what two heads pool becomes one head, read whole
    const Wiring pooled = *with_kv_heads(build_wiring(skip, 4, 4, 4), 1).wiring;
    EXPECT_EQ(pooled.values[2][0], (HeadSources{{2, 0}}));
    EXPECT_THAT(with_kv_heads(own, 3).refusal, HasSubstr("does not divide"));
    skip.inject = "concat";
    EXPECT_THAT(with_kv_heads(build_wiring(skip, 4, 8, 8, 64), 4).refusal, HasSubstr("latent"));
}

TEST(WiringEdit, WhatCannotBeIsRefusedWithAReason) {
    const Wiring own = own_wiring();
    EXPECT_THAT(refusal(own, "values 1 read 2"), HasSubstr("comes after it"));
    EXPECT_THAT(refusal(own, "values 1 add 1"), HasSubstr("reads it already"));
    EXPECT_THAT(refusal(own, "values 1 drop 0"), HasSubstr("not among what is read"));
    EXPECT_THAT(refusal(own, "values 1 weigh 1 0"), HasSubstr("has the weight 0"));
    EXPECT_THAT(refusal(own, "values 1 rule soko"), HasSubstr("not known"));
    EXPECT_THAT(apply(own, {}).refusal, HasSubstr("no head"));
    EXPECT_THAT(apply(own, {.heads = {{KvTable::kKeys, {9, 0}}}}).refusal,
                HasSubstr("not in the table"));
}

TEST(WiringEdit, LinesThatAreNoEditsAreRefused) {
    const Wiring own = own_wiring();
    for (const char* line :
         {"", "values", "values 1", "values 1 mirror 2", "values 1 copy 1-9", "queries 1 own",
          "values 4 own", "values 1.4 own", "values 2-1 own", "values 1 reed 0", "values 1 read",
          "values 1 read 0 0.5", "values 1 add 0 nan", "values 1 weigh 0", "values 1 copy 0.1",
          "values 1 own 2", "values -1 own", "values 1. own", "values 1 rule"})
        EXPECT_THROW(parse_wiring_edit(line, own, {}), UserError) << line;
}

WiringEdit random_edit(std::mt19937& random, const Wiring& wiring) {
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    WiringEdit edit;
    edit.kind = static_cast<WiringEdit::Kind>(below(10));
    const KvTable which = below(2) == 0 ? KvTable::kKeys : KvTable::kValues;
    const HeadId from{below(wiring.n_layer), below(wiring.n_kv_head)};
    for (int i = 0, n = 1 + below(6); i < n; ++i)
        edit.heads.push_back({which, {below(wiring.n_layer), below(wiring.n_kv_head)}});
    edit.layer = below(6) == 0 ? WiringEdit::kOwnLayer : from.layer;
    edit.span = 1 + below(3);
    if (below(2) == 0) edit.head = from.head;
    edit.weight = below(4) == 0 ? 0.25 * below(5) : 1.0;
    if (below(8) == 0) edit.learned = SourceWeight::kLambda;
    const std::vector<SourceRule>& rules = source_rules();
    edit.choice.value_source = edit.choice.key_source =
        rules[static_cast<size_t>(below(static_cast<int>(rules.size())))].name;
    return edit;
}

TEST(WiringEdit, AHundredThousandRandomEditsKeepTheTableValidAndAreUndoneBitForBit) {
    std::mt19937 random(7);
    int done = 0, refused = 0;
    for (int sequence = 0; sequence < 1000; ++sequence) {
        const int n_kv_head = 1 << (random() % 3);
        std::vector<Wiring> states{build_wiring({}, 5, 4, n_kv_head)};
        std::vector<WiringEdit> edits;
        for (int i = 0; i < 100; ++i) {
            const WiringEdit edit = random_edit(random, states.back());
            const WiringEditResult result = apply(states.back(), edit);
            ASSERT_NE(result.wiring.has_value(), !result.refusal.empty());
            if (!result.wiring) {
                ++refused;
                continue;
            }
            ++done;
            ASSERT_NO_THROW(check_wiring(*result.wiring));
            states.push_back(*result.wiring);
            edits.push_back(edit);
        }
        const Wiring& last = states.back();
        ASSERT_EQ(parse_wiring(to_json(last), last.n_layer, last.n_head, last.n_kv_head), last);
        while (!edits.empty()) {  // the state before an edit still gives the one after it
            const Wiring next = states.back();
            states.pop_back();
            ASSERT_EQ(apply(states.back(), edits.back()).wiring, next);
            edits.pop_back();
        }
        ASSERT_EQ(states.back(), build_wiring({}, 5, 4, n_kv_head));
    }
    EXPECT_GT(done, 30000);
    EXPECT_GT(refused, 10000);
}

}  // namespace
}  // namespace headroom
