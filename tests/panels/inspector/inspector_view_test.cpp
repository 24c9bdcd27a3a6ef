#include "panels/inspector/inspector_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "panels/inspector/difference_source.h"
#include "tests/panels/inspector/memory_source.h"

namespace headroom {
namespace {

using testing::HasSubstr;

std::shared_ptr<MemorySource> constant_source(float value, int64_t seq_len = 40) {
    return std::make_shared<MemorySource>(example_info(seq_len),
                                          [value](int, int, int64_t, int64_t) { return value; });
}

std::vector<std::string> names_of(const InspectorView& view, CompareMode mode) {
    std::vector<std::string> names;
    for (const InspectorPane* pane : shown_panes(view, mode)) names.push_back(pane->name);
    return names;
}

TEST(InspectorView, OneRunIsShownAloneWhateverTheMode) {
    const InspectorView view = build_inspector_view({pane_of("a", constant_source(1))});
    for (const CompareMode mode :
         {CompareMode::kSideBySide, CompareMode::kSplit, CompareMode::kDifference})
        EXPECT_THAT(names_of(view, mode), testing::ElementsAre("a"));
}

TEST(InspectorView, ModesShowWhatTheySay) {
    const InspectorView view =
        build_inspector_view({pane_of("a", constant_source(1)), pane_of("b", constant_source(2)),
                              pane_of("c", constant_source(3))});
    EXPECT_THAT(names_of(view, CompareMode::kOne), testing::ElementsAre("a"));
    EXPECT_THAT(names_of(view, CompareMode::kSideBySide), testing::ElementsAre("a", "b", "c"));
    EXPECT_THAT(names_of(view, CompareMode::kSplit), testing::ElementsAre("a", "b"));
    EXPECT_THAT(names_of(view, CompareMode::kDifference), testing::ElementsAre("b − a", "c − a"));
}

// Two heads of a small model stood among fourteen of a large one, as if of one.
TEST(InspectorView, ThumbnailsAreOfOneModel) {
    const auto source = [](int n_layer, int n_head) {
        return std::make_shared<MemorySource>(example_info(8, n_layer, n_head), example_entry);
    };
    const InspectorPane small = pane_of("small", source(2, 2)),
                        wide = pane_of("wide", source(2, 4)),
                        large = pane_of("large", source(4, 4)), none = pane_of("none", nullptr);
    const auto whose = [](const std::vector<const InspectorPane*>& panes) {
        const InspectorPane* pane = pane_of_atlas(panes);
        return pane == nullptr ? "" : pane->name;
    };
    EXPECT_EQ(whose({&none, &small, &large}), "large");
    EXPECT_EQ(whose({&small}), "small");
    EXPECT_EQ(whose({&large, &small}), "large");
    EXPECT_EQ(whose({&wide, &small}), "wide");
    EXPECT_EQ(whose({&none}), "");
}

TEST(InspectorView, MoreThanFourRunsAreCutToFour) {
    std::vector<InspectorPane> panes;
    for (int i = 0; i < 6; ++i) panes.push_back(pane_of("run", constant_source(0)));
    EXPECT_EQ(build_inspector_view(panes).panes.size(), kMostPanes);
}

TEST(InspectorView, ADifferenceIsOfEqualEntries) {
    const auto a = example_source(40), b = constant_source(0.25f);
    const DifferenceSource difference(a, b);
    const MapTile tile = load_tile(difference, {difference.serial(), {1, 1}, 0, 0, 0});
    for (int64_t q = 0; q < 40; ++q)
        for (int64_t k = 0; k <= q; ++k)
            EXPECT_EQ(tile.at(q, k), 0.25f - example_entry(1, 1, q, k));
    EXPECT_TRUE(difference.info().differs);
}

TEST(InspectorView, CoarseDifferencesAreThoseOfMeans) {
    const auto a =
        std::make_shared<MemorySource>(example_info(64), example_entry, std::vector<int64_t>{1, 4});
    const auto b = constant_source(0.5f, 64);
    const DifferenceSource difference(a, b);
    const MapTile tile = load_tile(difference, {difference.serial(), {}, 3, 0, 0});
    EXPECT_NEAR(tile.at(5, 2), 0.5f - a->cell({}, 8, 5, 2), 1e-6);
}

TEST(InspectorView, OtherTokensCannotBeSubtracted) {
    MapInfo other = example_info(40);
    other.ids[3] = 77;
    other.tokens[3] = "else";
    const auto b = std::make_shared<MemorySource>(other, example_entry);
    const InspectorView view = build_inspector_view(
        {pane_of("a", example_source(40)), pane_of("b", b), pane_of("c", example_source(41))});
    EXPECT_EQ(view.differences[0].source, nullptr);
    EXPECT_THAT(view.differences[0].note, HasSubstr("different tokens"));
    EXPECT_THAT(view.differences[1].note, HasSubstr("40 tokens"));
}

// "probe both on the same text", which they were.
TEST(InspectorView, TokenizersThatDifferAreCalledSo) {
    MapInfo letters = example_info(5), words = example_info(2), other = example_info(5);
    letters.tokens = other.tokens = {"a", "b", " ", "c", "d"};
    letters.ids = {1, 2, 3, 4, 5};
    other.ids = {11, 12, 13, 14, 15};
    words.tokens = {"ab", " c"};  // as much as its context holds
    words.ids = {7, 8};
    const auto note = [](const MapInfo& a, const MapInfo& b) { return why_not_comparable(a, b); };
    EXPECT_THAT(note(letters, words), HasSubstr("tokenizers differ"));
    EXPECT_THAT(note(letters, other), HasSubstr("tokenizers differ"));
    MapInfo shorter = letters;
    shorter.seq_len = 2;
    shorter.tokens.resize(2);
    shorter.ids.resize(2);
    EXPECT_THAT(note(letters, shorter), HasSubstr("probe both on the same text"));
    words.tokens = {"xy", " c"};
    EXPECT_THAT(note(letters, words), HasSubstr("probe both on the same text"));
}

TEST(InspectorView, ADifferenceWithoutARecordSaysWhichIsMissing) {
    InspectorPane empty;
    empty.name = "b";
    empty.note = "No attention record of b";
    empty.can_probe = true;
    const InspectorView view = build_inspector_view({pane_of("a", example_source(40)), empty});
    EXPECT_EQ(view.differences[0].note, empty.note);
    EXPECT_TRUE(view.differences[0].can_probe);
}

TEST(InspectorView, MapsThatAreComparedShareTheirScale) {
    const auto weak = constant_source(0.25f), strong = constant_source(0.75f);
    const HeadStatistics a = measure_head(*weak, {}), b = measure_head(*strong, {});
    const HeadStatistics* both[] = {&a, &b};
    const ColorScale scale = shared_scale({}, false, both);
    EXPECT_EQ(scale.lower, 0.25);
    EXPECT_EQ(scale.upper, 0.75);
    EXPECT_EQ(scale.map, ColorMap::kViridis);
}

TEST(InspectorView, ZeroIsTheNeutralColourOfADifference) {
    const auto source = std::make_shared<MemorySource>(
        example_info(30), [](int, int, int64_t q, int64_t) { return q == 3 ? -0.4f : 0.1f; });
    const HeadStatistics statistics = measure_head(*source, {});
    const HeadStatistics* known[] = {&statistics};
    InspectorSettings settings;
    settings.range = RangeMode::kFull;
    const ColorScale scale = shared_scale(settings, true, known);
    EXPECT_EQ(scale.map, ColorMap::kRdBu);
    EXPECT_DOUBLE_EQ(scale.place(0), 0.5);
    EXPECT_FLOAT_EQ(static_cast<float>(scale.upper), 0.4f);
}

TEST(InspectorView, ADifferenceOnALogScaleIsSymmetric) {
    InspectorSettings settings;
    settings.scale = ValueScale::kLog;
    EXPECT_EQ(color_choice(settings, true).scale, ValueScale::kSymLog);
    EXPECT_EQ(color_choice(settings, false).scale, ValueScale::kLog);
}

TEST(InspectorView, AFixedRangeDoesNotFollowTheData) {
    InspectorSettings settings;
    settings.range = RangeMode::kFixed;
    settings.lower = 0;
    settings.upper = 0.5;
    const HeadStatistics statistics = measure_head(*constant_source(0.9f), {});
    const HeadStatistics* known[] = {&statistics};
    EXPECT_EQ(shared_scale(settings, false, known).upper, 0.5);
}

}  // namespace
}  // namespace headroom
