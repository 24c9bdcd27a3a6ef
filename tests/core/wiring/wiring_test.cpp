#include "core/wiring/wiring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"

namespace headroom {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

HeadSources from(int layer, int head) {
    return {{layer, head, 1.0}};
}

WiringChoice skip(double ratio, const std::string& inject = "concat", int skip_layer = 1) {
    WiringChoice choice;
    choice.value_source = "skip";
    choice.skip_ratio = ratio;
    choice.inject = inject;
    choice.skip_layer = skip_layer;
    return choice;
}

WiringChoice sources(const std::string& key, const std::string& value) {
    WiringChoice choice;
    choice.key_source = key;
    choice.value_source = value;
    return choice;
}

TEST(Wiring, OwnGivesEveryHeadItsOwnLayer) {
    const Wiring w = build_wiring({}, 3, 4, 2);
    EXPECT_THAT(w.own_key_heads, ElementsAre(2, 2, 2));
    EXPECT_THAT(w.own_value_heads, ElementsAre(2, 2, 2));
    EXPECT_EQ(w.keys[2][1], from(2, 1));
    EXPECT_EQ(w.values[1][0], from(1, 0));
}

TEST(Wiring, SkipV1KeepsTheFirstHeadsAndTakesTheRestFromLayerOne) {
    const Wiring w = build_wiring(skip(0.5), 3, 4, 4);
    EXPECT_THAT(w.own_value_heads, ElementsAre(4, 2, 2));
    EXPECT_THAT(w.own_key_heads, Each(4));
    EXPECT_THAT(w.values[2], ElementsAre(from(2, 0), from(2, 1), from(0, 2), from(0, 3)));
    EXPECT_THAT(w.values[0], ElementsAre(from(0, 0), from(0, 1), from(0, 2), from(0, 3)));
}

TEST(Wiring, SkipRatiosFloorTheNumberOfInjectedHeads) {
    EXPECT_THAT(build_wiring(skip(0.25), 2, 8, 8).own_value_heads, ElementsAre(8, 6));
    EXPECT_THAT(build_wiring(skip(0.75), 2, 8, 8).own_value_heads, ElementsAre(8, 2));
    EXPECT_THAT(build_wiring(skip(0.5), 2, 3, 3).own_value_heads, ElementsAre(3, 2));
    EXPECT_THAT(build_wiring(skip(0.29), 2, 100, 100).own_value_heads, ElementsAre(100, 71));
}

TEST(Wiring, SkipRatioZeroIsTheBaselineAndOneIsSvFormer) {
    EXPECT_EQ(build_wiring(skip(0.0), 4, 4, 4), build_wiring({}, 4, 4, 4));
    EXPECT_EQ(build_wiring(skip(1.0), 4, 4, 4), build_wiring(sources("own", "sv"), 4, 4, 4));
}

TEST(Wiring, SkipVkOwnsEverythingUpToItsSourceLayer) {
    const Wiring w = build_wiring(skip(0.5, "concat", 3), 5, 2, 2);
    EXPECT_THAT(w.own_value_heads, ElementsAre(2, 2, 2, 1, 1));
    EXPECT_THAT(w.values[4], ElementsAre(from(4, 0), from(2, 1)));
}

TEST(Wiring, SkipV0LeavesTheInjectedHeadsEmpty) {
    const Wiring w = build_wiring(skip(0.5, "concat", 0), 3, 2, 2);
    EXPECT_THAT(w.own_value_heads, ElementsAre(2, 1, 1));
    EXPECT_THAT(w.values[1], ElementsAre(from(1, 0), HeadSources{}));
}

TEST(Wiring, PoolAveragesTheTwoHalves) {
    const Wiring w = build_wiring(skip(0.5, "pool"), 2, 4, 4);
    EXPECT_EQ(w.values[1][3], (HeadSources{{0, 1, 0.5}, {0, 3, 0.5}}));
    EXPECT_THAT(w.own_value_heads, ElementsAre(4, 2));
}

TEST(Wiring, DynamicMovesAWindowThatStartsAtTheLayersNumber) {
    // Layer 1: heads 1, 2 of layer 0 in slots 1, 0. Layer 3: heads 3, 0 in slots 1, 0.
    const Wiring w = build_wiring(skip(0.5, "dynamic"), 4, 4, 4);
    EXPECT_THAT(w.values[1], ElementsAre(from(1, 0), from(1, 1), from(0, 2), from(0, 1)));
    EXPECT_THAT(w.values[3], ElementsAre(from(3, 0), from(3, 1), from(0, 0), from(0, 3)));
}

TEST(Wiring, OddEvenAlternatesBetweenTheHalves) {
    const Wiring w = build_wiring(skip(0.5, "oddeven"), 3, 4, 4);
    EXPECT_EQ(w.values[1][2], from(0, 2));  // paper's layer 2, even
    EXPECT_EQ(w.values[2][2], from(0, 0));  // paper's layer 3, odd
}

TEST(Wiring, ResFormerMixesWithTheFirstLayer) {
    WiringChoice choice = sources("own", "res");
    choice.res_lambda = 0.25;
    const Wiring w = build_wiring(choice, 2, 2, 2);
    EXPECT_EQ(w.values[1][1], (HeadSources{{1, 1, 0.25}, {0, 1, 0.75}}));
    EXPECT_EQ(w.values[0][1], from(0, 1));
    choice.res_lambda = 1.0;
    EXPECT_EQ(build_wiring(choice, 2, 2, 2), build_wiring({}, 2, 2, 2));
    choice.res_lambda = 0.0;
    EXPECT_EQ(build_wiring(choice, 2, 2, 2), build_wiring(sources("own", "sv"), 2, 2, 2));
}

TEST(Wiring, SkipV1WithResFormerMixesTheOwnHeadsToo) {
    WiringChoice choice = skip(0.5);
    choice.skip_res = true;
    const Wiring w = build_wiring(choice, 2, 2, 2);
    EXPECT_EQ(w.values[1][0], (HeadSources{{1, 0, 0.5}, {0, 0, 0.5}}));
    EXPECT_EQ(w.values[1][1], from(0, 1));
}

TEST(Wiring, YocoSharesTheMiddleLayerFromThenOn) {
    const Wiring w = build_wiring(sources("yoco", "yoco"), 4, 2, 2);
    EXPECT_THAT(w.own_key_heads, ElementsAre(2, 2, 0, 0));
    EXPECT_THAT(w.own_value_heads, ElementsAre(2, 2, 0, 0));
    EXPECT_EQ(w.keys[3][1], from(1, 1));
    WiringChoice all = sources("yoco", "yoco");
    all.yoco_split = 4;
    EXPECT_EQ(build_wiring(all, 4, 2, 2), build_wiring({}, 4, 2, 2));
}

TEST(Wiring, ClaSharesTheFirstLayerOfEachGroup) {
    WiringChoice choice = sources("cla", "cla");
    EXPECT_THAT(build_wiring(choice, 5, 2, 2).own_key_heads, ElementsAre(2, 0, 2, 0, 2));
    choice.cla_factor = 3;
    EXPECT_THAT(build_wiring(choice, 5, 2, 2).own_value_heads, ElementsAre(2, 0, 0, 2, 0));
    choice.cla_factor = 1;
    EXPECT_EQ(build_wiring(choice, 5, 2, 2), build_wiring({}, 5, 2, 2));
}

TEST(Wiring, SkipKv1AndSkipV1YocoCombineKeysAndValues) {
    const Wiring kv = build_wiring(sources("skip", "skip"), 3, 4, 4);
    EXPECT_THAT(kv.own_key_heads, ElementsAre(4, 2, 2));
    EXPECT_EQ(kv.keys, kv.values);
    const Wiring yoco = build_wiring(sources("yoco", "skip"), 4, 4, 4);
    EXPECT_THAT(yoco.own_key_heads, ElementsAre(4, 4, 0, 0));
    EXPECT_THAT(yoco.own_value_heads, ElementsAre(4, 2, 2, 2));
}

TEST(Wiring, GroupedHeadsFollowTheSameRules) {
    const Wiring w = build_wiring(skip(0.5), 2, 8, 4);
    EXPECT_THAT(w.values[1], ElementsAre(from(1, 0), from(1, 1), from(0, 2), from(0, 3)));
}

template <class F>
void expect_refused(F f, const std::string& part) {
    EXPECT_THAT(f, ThrowsMessage<UserError>(HasSubstr(part)));
}

TEST(Wiring, RefusesImpossibleChoicesByTheirKey) {
    expect_refused([] { build_wiring({}, 2, 6, 4); }, "model.n_kv_head = 4 does not divide");
    expect_refused([] { build_wiring({}, 0, 6, 6); }, "model.n_layer = 0");
    expect_refused([] { build_wiring({}, 1 << 20, 1 << 10, 1); }, "too many");
    expect_refused([] { build_wiring(skip(1.5), 2, 4, 4); }, "model.skip_ratio = 1.5");
    expect_refused([] { build_wiring(skip(0.25, "pool"), 2, 4, 4); }, "model.inject = pool");
    expect_refused([] { build_wiring(skip(0.5, "dynamic"), 2, 3, 3); }, "model.inject = dynamic");
    expect_refused([] { build_wiring(skip(0.5, "concat", 9), 2, 4, 4); }, "model.skip_layer = 9");
    expect_refused([] { build_wiring(sources("own", "other"), 2, 4, 4); }, "model.value_source");
    expect_refused([] { build_wiring(sources("res", "own"), 2, 4, 4); }, "model.key_source");
    WiringChoice split = sources("yoco", "own");
    split.yoco_split = 3;
    expect_refused([&] { build_wiring(split, 2, 4, 4); }, "model.yoco_split = 3");
}

TEST(CheckWiring, RefusesTablesThatCannotBeComputed) {
    const Wiring good = build_wiring({}, 2, 2, 2);
    EXPECT_NO_THROW(check_wiring(good));

    Wiring later = good;
    later.keys[0][1] = from(1, 0);
    derive_own_heads(later);
    expect_refused([&] { check_wiring(later); }, "model.wiring.keys[0][1] reads layer 1");

    Wiring unread = good;
    unread.values[1][0] = from(0, 0);
    derive_own_heads(unread);
    expect_refused([&] { check_wiring(unread); }, "layer 1 would project head 0");

    Wiring twice = good;
    twice.values[1][0] = {{0, 0, 0.5}, {0, 0, 0.5}, {1, 0, 1.0}};
    derive_own_heads(twice);
    expect_refused([&] { check_wiring(twice); }, "values[1][0] reads layer 0 head 0 twice");

    Wiring zero = good;
    zero.keys[1][0] = {{1, 0, 0.0}};
    derive_own_heads(zero);
    expect_refused([&] { check_wiring(zero); }, "model.wiring.keys[1][0] has the weight 0");

    Wiring huge = good;
    huge.keys[1][0] = {{1, 2147483647, 1.0}};
    derive_own_heads(huge);
    expect_refused([&] { check_wiring(huge); }, "reads head 2147483647");

    Wiring short_table = good;
    short_table.values.pop_back();
    derive_own_heads(short_table);
    expect_refused([&] { check_wiring(short_table); }, "model.wiring.values has 1 layers");
}

}  // namespace
}  // namespace headroom
