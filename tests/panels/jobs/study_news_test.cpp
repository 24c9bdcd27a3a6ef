#include "panels/jobs/study_news.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class StudyNewsTest : public testing::Test {
  protected:
    void put(const std::string& id, RunPhase phase, int64_t step = 0, double loss = std::nan(""),
             const std::filesystem::path& folder = "/studies/own") {
        auto run = std::make_shared<headroom::Run>();
        run->id = run->name = id;
        run->folder = folder / "runs" / id;
        run->status.phase = phase;
        run->status.step = step;
        run->status.loss = loss;
        for (RunPointer& each : study_.runs)
            if (each->id == id) {
                each = run;
                return;
            }
        study_.runs.push_back(run);
    }
    std::vector<StudyNews> read() { return reader_.read(study_); }

    StudySnapshot study_ = [] {
        StudySnapshot study;
        study.folder = "/studies/own";
        return study;
    }();
    StudyNewsReader reader_;
};

TEST_F(StudyNewsTest, WhatWasThereAtFirstIsNoNews) {
    put("a", RunPhase::kDiverged);
    put("b", RunPhase::kFailed);
    EXPECT_THAT(read(), IsEmpty());
    EXPECT_THAT(read(), IsEmpty());
}

TEST_F(StudyNewsTest, ARunThatDivergesIsSaidOnceWithItsStep) {
    put("a", RunPhase::kRunning, 100, 3);
    read();
    put("a", RunPhase::kDiverged, 1200, 9.5);
    const std::vector<StudyNews> news = read();
    ASSERT_EQ(news.size(), 1u);
    EXPECT_EQ(news[0].run, "a");
    EXPECT_EQ(news[0].kind, StudyNews::Kind::kDiverged);
    EXPECT_THAT(news[0].text, HasSubstr("a has diverged at step 1,200 (loss 9.5"));
    EXPECT_THAT(read(), IsEmpty());
}

TEST_F(StudyNewsTest, TheEndOfTheQueueCountsWhatBecameOfItsRuns) {
    put("old", RunPhase::kFinished);
    put("a", RunPhase::kQueued);
    put("b", RunPhase::kQueued);
    read();
    study_.scheduler_alive = true;
    EXPECT_THAT(read(), IsEmpty());
    put("other/c", RunPhase::kFinished, 0, 2, "/studies/other");  // added meanwhile
    put("a", RunPhase::kFinished);
    put("b", RunPhase::kFailed);
    EXPECT_THAT(read(), ElementsAre(testing::Field(&StudyNews::text, "b has failed")));
    study_.scheduler_alive = false;
    EXPECT_THAT(read(), ElementsAre(testing::Field(&StudyNews::text,
                                                   "The queue has ended: 1 finished, 1 failed")));
}

// Of 12 runs that it had trained it said "2 finished", after the window had been away.
TEST_F(StudyNewsTest, OfAQueueThatWasMetAtWorkItCountsWhatWasSeen) {
    study_.scheduler_alive = true;
    put("before", RunPhase::kFinished);
    put("a", RunPhase::kRunning);
    read();
    put("a", RunPhase::kFinished);
    study_.scheduler_alive = false;
    EXPECT_THAT(read(), ElementsAre(testing::Field(
                            &StudyNews::text,
                            "The queue has ended; since the study was opened: 1 finished")));
    put("b", RunPhase::kQueued);
    read();
    study_.scheduler_alive = true;
    read();
    put("b", RunPhase::kFinished);
    study_.scheduler_alive = false;
    EXPECT_THAT(read(),
                ElementsAre(testing::Field(&StudyNews::text, "The queue has ended: 1 finished")));
}

TEST_F(StudyNewsTest, AnotherStudyBeginsAnew) {
    study_.scheduler_alive = true;
    put("a", RunPhase::kRunning);
    read();
    reader_.forget();
    study_.scheduler_alive = false;
    put("a", RunPhase::kDiverged);
    EXPECT_THAT(read(), IsEmpty());
}

}  // namespace
}  // namespace headroom
