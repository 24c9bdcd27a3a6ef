// What the run list's closed eyes and its reference mean to the pages of curves.
#include "app/window/pages/loss_look.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/panels/loss/example_run.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Three seeds of "base", whose first is the reference, and one run of "skip".
StudyLook look_with(std::set<std::string> hidden) {
    StudySnapshot study;
    for (const char* id : {"base-s1", "base-s2", "base-s3"})
        study.runs.push_back(ExampleRun{.id = id, .group = "base"}.make());
    study.runs.push_back(ExampleRun{.id = "skip-s1", .group = "skip"}.make());
    StudyLook look;
    look.study = std::make_shared<const StudySnapshot>(std::move(study));
    look.reference = "base-s1";
    look.hidden = std::move(hidden);
    return look;
}

LossSettings grouped() {
    LossSettings settings;
    settings.group_seeds = true;
    return settings;
}

TEST(LossLook, AHiddenReferenceLeavesTheOtherSeedsOfItsGroupInSight) {
    const LossSettings settings = settings_of(grouped(), look_with({"base-s1"}));
    EXPECT_THAT(settings.hidden, IsEmpty());
    EXPECT_THAT(settings.left_out, ElementsAre("base-s1"));
}

TEST(LossLook, AGroupWhoseSeedsAreAllHiddenIsHidden) {
    const StudyLook look = look_with({"base-s1", "base-s2", "base-s3"});
    const LossSettings settings = settings_of(grouped(), look);
    EXPECT_THAT(settings.hidden, ElementsAre("base"));
    EXPECT_THAT(settings.left_out, IsEmpty());
    EXPECT_EQ(curve_runs(look).size(), 4u);  // the reference's seeds are there to compare with
}

TEST(LossLook, HiddenSeedsOfTheReferenceAreStillComparedWith) {
    const StudyLook look = look_with({"base-s2", "base-s3"});
    EXPECT_EQ(curve_runs(look).size(), 4u);
    const LossSettings together = settings_of(grouped(), look);
    EXPECT_THAT(together.left_out, ElementsAre("base-s2", "base-s3"));
    EXPECT_THAT(together.hidden, IsEmpty());
    const LossSettings apart = settings_of(LossSettings(), look);
    EXPECT_THAT(apart.hidden, ElementsAre("base-s2", "base-s3"));
    EXPECT_THAT(hidden_runs(together, curve_runs(look), look.hidden),
                ElementsAre("base-s2", "base-s3"));
}

TEST(LossLook, AloneARunIsHiddenByItsOwnId) {
    const LossSettings settings = settings_of(LossSettings(), look_with({"base-s1"}));
    EXPECT_THAT(settings.hidden, ElementsAre("base-s1"));
    EXPECT_THAT(settings.left_out, IsEmpty());
}

TEST(LossLook, HidingAnotherGroupInTheLegendLeavesTheReferenceAsItIs) {
    const StudyLook look = look_with({"base-s1"});
    LossSettings settings = settings_of(grouped(), look);
    settings.hidden.insert("skip");
    EXPECT_THAT(hidden_runs(settings, curve_runs(look), look.hidden),
                ElementsAre("base-s1", "skip-s1"));
    settings.hidden = {"base"};
    EXPECT_THAT(hidden_runs(settings, curve_runs(look), look.hidden),
                ElementsAre("base-s1", "base-s2", "base-s3"));
}

}  // namespace
}  // namespace headroom
