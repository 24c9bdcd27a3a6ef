#include "core/wiring/wiring_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(WiringSummary, CountsWhatSkipV1Stores) {
    WiringChoice choice;
    choice.value_source = "skip";
    const WiringSummary s = summarize(build_wiring(choice, 12, 12, 12));
    EXPECT_EQ(s.keys.saved_heads(), 0);
    EXPECT_EQ(s.values.stored_heads, 12 + 11 * 6);
    EXPECT_EQ(s.values.saved_heads(), 66);
}

TEST(WiringSummary, NamesOwnerAndReadersOfAHead) {
    WiringChoice choice;
    choice.value_source = "skip";
    const WiringSummary s = summarize(build_wiring(choice, 3, 2, 2));
    const HeadUse& shared = s.values.uses[0][1];
    EXPECT_EQ(shared.saved_heads(), 0);
    EXPECT_THAT(shared.readers, ElementsAre(HeadId{0, 1}, HeadId{1, 1}, HeadId{2, 1}));
    const HeadUse& borrower = s.values.uses[2][1];
    ASSERT_NE(single_source(borrower.sources), nullptr);
    EXPECT_EQ(single_source(borrower.sources)->layer, 0);
    EXPECT_EQ(borrower.saved_heads(), 1);
    EXPECT_THAT(borrower.readers, IsEmpty());
    EXPECT_THAT(s.values.readers_of[1], ElementsAre(ElementsAre(HeadId{1, 0})));
}

TEST(WiringSummary, AMixtureHasNoSingleSource) {
    EXPECT_EQ(single_source({{0, 0, 0.5}, {1, 0, 0.5}}), nullptr);
    EXPECT_EQ(single_source({{0, 0, 0.5}}), nullptr);
    EXPECT_EQ(single_source({}), nullptr);
}

TEST(WiringSummary, PerHeadSavingsAddUpToTheTotal) {
    for (const char* value : {"own", "skip", "res", "sv", "yoco", "cla"}) {
        WiringChoice choice;
        choice.value_source = value;
        const WiringSummary s = summarize(build_wiring(choice, 6, 4, 4));
        int64_t saved = 0;
        for (const auto& layer : s.values.uses)
            for (const HeadUse& use : layer) saved += use.saved_heads();
        EXPECT_EQ(saved, s.values.saved_heads()) << value;
    }
}

}  // namespace
}  // namespace headroom
