// What the host decides for attention on tensor cores: tiles by width and shared memory, and the
// order in which gradients are written.
#include <map>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cuda/attention/backward_plan.h"
#include "cuda/attention/tile_shapes.h"

namespace headroom::cuda {
namespace {

constexpr int64_t kA100 = int64_t{163} << 10, kGeForce = int64_t{99} << 10;

template <size_t N>
void expect_sound(const TileShape (&shapes)[N], int64_t (*shared_bytes)(const TileShape&)) {
    for (const TileShape& s : shapes) {
        EXPECT_EQ(s.key_width % 16 + s.value_width % 16 + s.streamed % 16, 0);
        EXPECT_LE(shared_bytes(s), kA100);
        // Eight rows of 16 bytes in a multiple of 16 bytes whose number is odd: no bank twice.
        for (const int width : {s.key_width, s.value_width}) {
            EXPECT_EQ(row_stride(width) % 16, 0);
            EXPECT_EQ(row_stride(width) / 16 % 2, 1);
        }
        // A float32 for each sum: with the scores they must fit 255 registers a thread.
        EXPECT_LE(s.row_tiles * (std::max(s.key_width, s.value_width) / 2 + s.streamed / 2), 224);
    }
}

TEST(TileShapes, FitTheDevice) {
    expect_sound(kForwardShapes, forward_shared_bytes);
    expect_sound(kKeyGradientShapes, key_gradient_shared_bytes);
    expect_sound(kQueryGradientShapes, query_gradient_shared_bytes);
}

TEST(TileShapes, EveryCommonWidthHasTilesOnEveryDevice) {
    for (const int64_t limit : {kA100, kGeForce})
        for (const auto& [d_head, d_value] : std::vector<std::pair<int64_t, int64_t>>{{1, 1},
                                                                                      {62, 62},
                                                                                      {64, 64},
                                                                                      {80, 80},
                                                                                      {96, 96},
                                                                                      {128, 128},
                                                                                      {96, 64},
                                                                                      {192, 128}}) {
            TileChoice choice{};
            EXPECT_TRUE(choose_tiles(d_head, d_value, limit, choice)) << d_head << " " << d_value;
            for (const TileShape& s :
                 {kForwardShapes[choice.forward], kKeyGradientShapes[choice.key_gradient],
                  kQueryGradientShapes[choice.query_gradient]}) {
                EXPECT_GE(s.key_width, d_head);
                EXPECT_GE(s.value_width, d_value);
                EXPECT_TRUE(d_head != d_value || s.key_width == s.value_width);
            }
            EXPECT_LE(forward_shared_bytes(kForwardShapes[choice.forward]), limit);
            EXPECT_LE(key_gradient_shared_bytes(kKeyGradientShapes[choice.key_gradient]), limit);
            EXPECT_LE(query_gradient_shared_bytes(kQueryGradientShapes[choice.query_gradient]),
                      limit);
        }
}

TEST(TileShapes, WiderHeadsHaveNone) {
    TileChoice choice{};
    EXPECT_FALSE(choose_tiles(193, 64, kA100, choice));
    EXPECT_FALSE(choose_tiles(64, 129, kA100, choice));
    EXPECT_FALSE(choose_tiles(64, 64, 16 << 10, choice));
}

AttentionOptions wired(int n_head, std::vector<HeadRef> keys, std::vector<HeadRef> values) {
    AttentionOptions o;
    o.n_head = n_head;
    o.n_kv_head = static_cast<int64_t>(keys.size());
    o.d_head = 8;
    o.key_heads = std::move(keys);
    o.value_heads = std::move(values);
    return o;
}

TEST(BackwardPlan, OwnHeadsAreDoneAtOnce) {
    const BackwardPlan plan(wired(4, {{1, 0}, {1, 1}}, {{2, 0}, {2, 1}}), {0, 1, 2}, {4, 2, 2});
    ASSERT_EQ(plan.rounds.size(), 1u);
    ASSERT_EQ(plan.rounds[0].size(), 2u);
    EXPECT_THAT(plan.rounds[0][0].readers, testing::ElementsAre(0, 1));
    EXPECT_THAT(plan.rounds[0][1].readers, testing::ElementsAre(2, 3));
    EXPECT_EQ(plan.queries.size(), 4u);
    EXPECT_TRUE(plan.zeros.empty());
}

TEST(BackwardPlan, GroupsOfTheSameHeadsAreOneItem) {
    const BackwardPlan plan(wired(2, {{1, 0}, {1, 0}}, {{2, 0}, {2, 0}}), {1, 2}, {3, 1});
    ASSERT_EQ(plan.rounds.size(), 1u);
    ASSERT_EQ(plan.rounds[0].size(), 1u);
    EXPECT_THAT(plan.rounds[0][0].readers, testing::ElementsAre(0, 1));
    EXPECT_TRUE(plan.queries.empty());
    EXPECT_EQ(plan.zeros.size(), 2u);
}

TEST(BackwardPlan, HeadThatIsKeyAndValueIsWrittenOnce) {
    const BackwardPlan plan(wired(1, {{1, 0}}, {{1, 0}}), {1}, {1});
    EXPECT_TRUE(plan.rounds.at(0).at(0).one_target);
}

TEST(BackwardPlan, QueriesAddWhereTheyAreKeys) {
    const BackwardPlan plan(wired(2, {{0, 0}}, {{1, 0}}), {0, 1}, {2, 1});
    ASSERT_EQ(plan.queries.size(), 2u);
    EXPECT_TRUE(plan.queries[0].add);
    EXPECT_FALSE(plan.queries[1].add);
}

/// Every head of every target, in order of rounds: overwritten first, then added to, and never
/// twice in one round.
void check_writes(const BackwardPlan& plan, const std::vector<int>& head_counts) {
    std::set<std::pair<int, int>> written;
    const auto write = [&](const BackwardPlan::Target& target) {
        EXPECT_EQ(!written.insert({target.output, target.head}).second, target.add);
    };
    for (const auto& round : plan.rounds) {
        std::set<std::pair<int, int>> now;
        for (const auto& item : round) {
            std::set<std::pair<int, int>> of_item;
            for (const auto& target : {item.dkey, item.dvalue})
                if (target.output >= 0) of_item.insert({target.output, target.head});
            EXPECT_EQ(item.one_target, item.dkey.output >= 0 && item.dkey == item.dvalue);
            for (const auto& target : of_item) EXPECT_TRUE(now.insert(target).second);
            if (item.dkey.output >= 0) write(item.dkey);
            if (item.dvalue.output >= 0 && !item.one_target) write(item.dvalue);
        }
    }
    for (const auto& target : plan.queries) write(target);
    for (const auto& target : plan.zeros) write(target);
    size_t all = 0;
    for (const int count : head_counts) all += static_cast<size_t>(count);
    EXPECT_EQ(written.size(), all);
}

TEST(BackwardPlan, WritesEveryHeadInOrderForAnyWiring) {
    std::mt19937 random(5);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    for (int trial = 0; trial < 500; ++trial) {
        const int kv_heads = 1 + below(4), n_head = kv_heads * (1 + below(2));
        const std::vector<int> heads{n_head, 3, 2};
        const auto ref = [&](bool may_be_zero) {
            const int input = below(may_be_zero ? 4 : 3);
            return input == 3 ? HeadRef{}
                              : HeadRef{input, below(heads[static_cast<size_t>(input)])};
        };
        std::vector<HeadRef> keys, values;
        for (int g = 0; g < kv_heads; ++g) {
            keys.push_back(ref(false));
            values.push_back(below(3) == 0 ? keys.back() : ref(true));
        }
        std::vector<size_t> targets;
        std::vector<int> head_counts;
        for (size_t i = 0; i < 3; ++i)
            if (below(4) > 0) targets.push_back(i), head_counts.push_back(heads[i]);
        check_writes(BackwardPlan(wired(n_head, keys, values), targets, head_counts), head_counts);
    }
}

}  // namespace
}  // namespace headroom::cuda
