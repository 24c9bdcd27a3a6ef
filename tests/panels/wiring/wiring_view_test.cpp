#include "panels/wiring/wiring_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/panels/wiring/wiring_cases.h"

namespace headroom {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

const WiringCosts kViewCosts{
    .cache_bytes_per_head = 64, .params_per_key_head = 1000, .params_per_value_head = 2000};

TEST(WiringView, AnEmptyWiringIsAnEmptyPicture) {
    const WiringView view = build_wiring_view({}, kViewCosts, "nothing");
    EXPECT_TRUE(view.empty());
    EXPECT_EQ(view.cache_bytes_per_token, 0);
    EXPECT_EQ(describe_total(view), "");
}

TEST(WiringView, MultiHeadAttentionOwnsEverythingAndSavesNothing) {
    const WiringView view = build_wiring_view(own_wiring(3, 4, 4), kViewCosts, "mha");
    EXPECT_EQ(view.keys.projected_heads, 12);
    EXPECT_EQ(view.values.reused_heads, 0);
    EXPECT_EQ(view.cache_bytes_per_token, 24 * 64);
    EXPECT_EQ(view.cache_bytes_saved, 0);
    EXPECT_TRUE(view.keys.buses.empty());
    EXPECT_EQ(view.values.cells[2][3].role, HeadRole::kOwn);
    EXPECT_THAT(describe_total(view), HasSubstr("every head owns its key and value"));
}

TEST(WiringView, SkipV1SharesHalfOfTheFirstLayersValues) {
    const int n_layer = 12;
    const WiringView view = build_wiring_view(skipv1_wiring(n_layer, 12), kViewCosts, "skipv1");
    EXPECT_EQ(view.values.reused_heads, (n_layer - 1) * 6);
    EXPECT_EQ(view.keys.reused_heads, 0);
    // (L - 1) / (4 L) of the cache, 22.92 % at twelve layers.
    const double full = static_cast<double>(view.cache_bytes_per_token + view.cache_bytes_saved);
    EXPECT_DOUBLE_EQ(static_cast<double>(view.cache_bytes_saved) / full, 11.0 / 48.0);
    EXPECT_EQ(view.params_saved, 11 * 6 * 2000);
    EXPECT_THAT(describe_total(view), HasSubstr("22.9 %"));
}

TEST(WiringView, ReadersOfOneColumnShareOneBus) {
    const WiringView view = build_wiring_view(skipv1_wiring(4, 4), kViewCosts, "skipv1");
    ASSERT_EQ(view.values.buses.size(), 2u);
    EXPECT_EQ(view.values.buses[0].source, (HeadId{0, 2}));
    EXPECT_EQ(view.values.buses[0].column, 2);
    EXPECT_THAT(view.values.buses[0].readers, ElementsAre(1, 2, 3));
}

TEST(WiringView, AHeadKnowsItsSourcesAndItsReaders) {
    const WiringView view = build_wiring_view(skipv1_wiring(4, 4), kViewCosts, "skipv1");
    EXPECT_EQ(view.values.cells[0][3].readers.size(), 3u);
    const WiringCell& reader = view.values.cells[2][3];
    EXPECT_EQ(reader.role, HeadRole::kReused);
    EXPECT_FALSE(reader.projected);
    EXPECT_EQ(reader.sources[0].layer, 0);
}

TEST(WiringView, AWeightedSumWithItsOwnHeadIsMixedAndStillCached) {
    Wiring wiring = own_wiring(2, 2, 2);
    wiring.values[1][0] = {{1, 0, 0.5}, {0, 0, 0.5}};
    const WiringView view = build_wiring_view(wiring, kViewCosts, "res");
    EXPECT_EQ(view.values.cells[1][0].role, HeadRole::kMixed);
    EXPECT_EQ(view.cache_bytes_saved, 0);
    EXPECT_EQ(describe_total(view),
              "KV cache 512 B per token · 1 of 4 value heads are sums of both");
    EXPECT_THAT(describe_head(view, KvTable::kValues, {1, 0}),
                Contains(HasSubstr("0.5 × layer 1 head 0 + 0.5 × layer 0 head 0")));
}

TEST(WiringView, AProjectionIsShownInTheColumnThatReadsIt) {
    // Odd-even injection: columns 0 and 2 own their values, stored as projected heads 0 and 1.
    Wiring wiring = own_wiring(2, 4, 4);
    wiring.values[1] = {{{1, 0}}, {{0, 1}}, {{1, 1}}, {{0, 3}}};
    wiring.own_value_heads[1] = 2;
    const WiringView view = build_wiring_view(wiring, kViewCosts, "oddeven");
    const auto& row = view.values.cells[1];
    EXPECT_EQ(row[2].role, HeadRole::kOwn);
    EXPECT_TRUE(row[2].projected);
    EXPECT_EQ(row[1].role, HeadRole::kReused);
    EXPECT_FALSE(row[1].projected);
    EXPECT_EQ(view.values.reused_heads, 2);
}

TEST(WiringView, SourcesOutsideTheTableAreLeftOut) {
    Wiring wiring = own_wiring(2, 2, 2);
    wiring.keys[0][1] = {{5, 0}, {0, 9}, {1, 0}};
    wiring.values[1].clear();
    const WiringView view = build_wiring_view(wiring, kViewCosts, "broken");
    EXPECT_EQ(view.keys.cells[0][1].role, HeadRole::kNone);
    EXPECT_EQ(view.values.cells[1][1].role, HeadRole::kNone);
}

TEST(WiringText, TellsWhatAReusedHeadSaves) {
    const WiringView view = build_wiring_view(skipv1_wiring(4, 4), kViewCosts, "skipv1");
    const auto reader = describe_head(view, KvTable::kValues, {2, 3});
    EXPECT_EQ(reader[0], "Layer 2, value head 3");
    EXPECT_THAT(reader, Contains("Reads layer 0 head 3"));
    EXPECT_THAT(reader, Contains("Costs no cache: saves 64 B per token and 2,000 parameters"));
    const auto source = describe_head(view, KvTable::kValues, {0, 3});
    EXPECT_THAT(source, Contains("Read by 3 more heads in layers 1–3"));
    EXPECT_THAT(source, Contains("Its readers save 192 B of cache per token"));
}

TEST(WiringText, GroupedHeadsNameTheirQueryHeads) {
    const WiringView view = build_wiring_view(own_wiring(1, 8, 2), kViewCosts, "gqa");
    EXPECT_THAT(describe_head(view, KvTable::kKeys, {0, 1}), Contains("Serves query heads 4–7"));
}

TEST(WiringView, QueryHeadsOfAGroupFollowTheFloorRule) {
    for (const auto& [n_head, n_kv_head] : {std::pair{8, 2}, {12, 12}, {6, 1}, {7, 3}}) {
        for (int h = 0; h < n_head; ++h) {
            const int g = h * n_kv_head / n_head;
            const HeadRange range = query_heads(g, n_head, n_kv_head);
            EXPECT_LE(range.first, h);
            EXPECT_GE(range.last, h);
        }
    }
}

}  // namespace
}  // namespace headroom
