#include "panels/study/merged_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "panels/figure/palette.h"

namespace headroom {
namespace {

using testing::ElementsAre;

RunPointer make_run(const std::string& study, const std::string& id, const std::string& group,
                    int color) {
    auto run = std::make_shared<headroom::Run>();
    run->id = id;
    run->group = group;
    run->name = group + ", seed 1";
    run->folder = study + "/runs/" + id;
    run->color = color;
    return run;
}

StudyPointer make_study(const std::string& folder, std::vector<RunPointer> runs) {
    auto study = std::make_shared<StudySnapshot>();
    study->folder = folder;
    study->runs = std::move(runs);
    return study;
}

TEST(MergedStudy, OtherRunsSayWhereTheyAreFromAndTakeFreeColours) {
    const StudyPointer own = make_study("/a/mine", {make_run("/a/mine", "base-s1", "base", 1)});
    const StudyPointer other = make_study("/b/other", {make_run("/b/other", "base-s1", "base", 1),
                                                       make_run("/b/other", "skip-s1", "skip", 0),
                                                       make_run("/b/other", "base-s2", "base", 1)});
    StudyMerger merger;
    const StudyPointer merged = merger.merge(own, std::vector{other, make_study("/c/other", {})});
    ASSERT_EQ(merged->runs.size(), 4u);
    EXPECT_EQ(merged->runs[0], own->runs[0]);
    const headroom::Run& added = *merged->runs[1];
    EXPECT_EQ(added.id, "other/base-s1");
    EXPECT_EQ(added.group, "base · other");
    EXPECT_EQ(added.name, "base · other, seed 1");
    EXPECT_EQ(added.color, 7);
    EXPECT_EQ(merged->runs[2]->color, 6);
    EXPECT_EQ(merged->runs[3]->color, 7) << "of the same group";
    EXPECT_THAT(own_runs(*merged), ElementsAre(own->runs[0]));
    EXPECT_FALSE(is_own_run(*merged, added));
    EXPECT_EQ(merger.merge(own, {}), own);
}

// Deleting an own run freed its colour, and all added ones moved up; a new one took the first of
// theirs.
TEST(MergedStudy, GroupsKeepTheirColoursWhateverOwnRunsComeAndGo) {
    const std::vector others{make_study("/b/other", {make_run("/b/other", "base", "base", 0),
                                                     make_run("/b/other", "skip", "skip", 1)})};
    StudyMerger merger;
    const auto colors_beside = [&](int own_groups) {
        std::vector<RunPointer> own;
        for (int color = 0; color < own_groups; ++color) {
            const std::string name = "own" + std::to_string(color);
            own.push_back(make_run("/a/mine", name, name, color));
        }
        std::vector<int> colors;
        for (const RunPointer& run : merger.merge(make_study("/a/mine", own), others)->runs)
            if (run->id.starts_with("other/")) colors.push_back(run->color);
        return colors;
    };
    for (const int own_groups : {2, 1, 3, 6})
        EXPECT_THAT(colors_beside(own_groups), ElementsAre(7, 6)) << own_groups;
    for (const int own_groups : {8, 3}) {
        const std::vector<int> crowded = colors_beside(own_groups);
        EXPECT_THAT(crowded, ElementsAre(7 + kPaletteSize, 6 + kPaletteSize))
            << "the same colours in the dashes of the next round";
    }
}

TEST(MergedStudy, RunsThatStayKeepTheirPointers) {
    const RunPointer still = make_run("/b/other", "still", "still", 0);
    const StudyPointer own = make_study("/a/mine", {});
    StudyMerger merger;
    const std::vector before{
        make_study("/b/other", {still, make_run("/b/other", "moves", "moves", 1)})};
    const StudyPointer first = merger.merge(own, before);
    EXPECT_EQ(merger.merge(own, before), first);
    const std::vector after{
        make_study("/b/other", {still, make_run("/b/other", "moves", "moves", 1)})};
    const StudyPointer second = merger.merge(own, after);
    EXPECT_EQ(second->runs[0], first->runs[0]);
    EXPECT_NE(second->runs[1], first->runs[1]);
}

}  // namespace
}  // namespace headroom
