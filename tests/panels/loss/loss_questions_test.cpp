#include "panels/loss/loss_questions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "panels/loss/loss_view.h"
#include "tests/panels/study/measured_run.h"

namespace headroom {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

RunPointer on(const std::string& group, int64_t seed, const std::string& val,
              uint64_t evaluated = 0) {
    return with_job(
        run(group, seed, 3),
        {{"data", {{"train", "text:a.txt"}, {"val", val}}}, {"model", nlohmann::json::object()}},
        evaluated);
}

LossSettings validation() {
    LossSettings settings;
    settings.train = false;
    settings.val = true;
    return settings;
}

std::string ids(const LossView& view) {
    std::string all;
    for (const LossCurve& curve : view.curves) all += curve.id + " ";
    return all;
}

TEST(LossQuestions, LossesOfSeveralAreToldApartInTheSmallPrint) {
    const std::vector<RunPointer> runs{on("base", 1, "text:v.txt"), on("wiki", 1, "text:w.txt"),
                                       run("plain", 1, 2)};
    const LossView view = build_loss(runs, validation());
    EXPECT_EQ(view.curves.size(), 3u);
    EXPECT_THAT(view.figure.footnote,
                AllOf(HasSubstr("not comparable with base: wiki (validation data)"),
                      HasSubstr("nothing is known of the data of plain")));
    LossSettings hidden = validation();
    hidden.hidden = {"wiki-s1", "plain-s1"};
    EXPECT_THAT(build_loss(runs, hidden).figure.footnote, Not(HasSubstr("comparable")));
    LossSettings ruled = validation();
    ruled.ruled = {"wiki-s1"};
    EXPECT_THAT(build_loss(runs, ruled).figure.footnote, HasSubstr("wiki (validation data)"))
        << "beside which it is drawn";
    LossSettings training = validation();
    std::swap(training.train, training.val);
    EXPECT_THAT(build_loss(runs, training).figure.footnote, Not(HasSubstr("comparable")));
}

// "No run has logged" it, where all but the reference had.
TEST(LossQuestions, ASeriesThatTheReferenceLacksHasNoDifferences) {
    LossSettings settings;
    settings.metric = "scalars/none";
    settings.baseline = "base-s1";
    const std::vector<RunPointer> runs{run("base", 1, 3), run("skip", 1, 2)};
    EXPECT_EQ(build_loss(runs, settings).figure.empty_text,
              "No difference can be drawn: base-s1, or every other run, has no scalars/none");
}

// The table called them no pair, and the picture drew their difference with its band.
TEST(LossQuestions, ThereIsNoDifferenceOfTwo) {
    const std::vector<RunPointer> runs{on("base", 1, "text:v.txt", 5),
                                       on("skip", 1, "text:v.txt", 5),
                                       on("late", 1, "text:v.txt", 6), run("plain", 1, 2)};
    LossSettings settings = validation();
    settings.baseline = "base-s1";
    const LossView view = build_loss(runs, settings);
    EXPECT_EQ(ids(view), "skip-s1 plain-s1 ");
    EXPECT_THAT(view.figure.footnote,
                AllOf(HasSubstr("left out, not comparable with base: late (validation data)"),
                      HasSubstr("nothing is known of the data of plain")));
    const std::vector<RunPointer> two{runs[0], runs[2]};
    EXPECT_THAT(build_loss(two, settings).figure.empty_text, HasSubstr("late (validation data)"));
}

// A mean of two of three seeds may be significant where that of all is not.
TEST(LossQuestions, HiddenSeedsOfAMeanAreNamed) {
    std::vector<RunPointer> runs;
    for (const char* group : {"base", "lr"})
        for (const int64_t seed : {1, 2, 3}) runs.push_back(on(group, seed, "text:v.txt"));
    LossSettings settings = validation();
    settings.group_seeds = true;
    settings.left_out = {"lr-s3", "base-s1", "base-s2"};
    EXPECT_THAT(build_loss(runs, settings).figure.footnote,
                HasSubstr("without hidden seeds: base 1, 2; lr 3"));
    settings.hidden = {"base"};
    EXPECT_THAT(build_loss(runs, settings).figure.footnote,
                HasSubstr("without hidden seeds: lr 3"));
    settings.left_out.clear();
    EXPECT_THAT(build_loss(runs, settings).figure.footnote, Not(HasSubstr("hidden seeds")));
}

// What is smoothed was named by whether training is shown.
TEST(LossQuestions, TheSmallPrintSaysWhatIsSmoothed) {
    const std::vector<RunPointer> runs{on("base", 1, "text:v.txt")};
    LossSettings settings = validation();
    settings.smoothing = 0.6;
    EXPECT_THAT(build_loss(runs, settings).figure.footnote, Not(HasSubstr("smoothed")));
    settings.smooth_val = true;
    EXPECT_THAT(build_loss(runs, settings).figure.footnote, testing::StartsWith("smoothed by 0.6"));
    settings.train = true;
    EXPECT_THAT(build_loss(runs, settings).figure.footnote, testing::StartsWith("smoothed by 0.6"));
    settings.smooth_val = false;
    EXPECT_THAT(build_loss(runs, settings).figure.footnote,
                testing::StartsWith("training smoothed by 0.6"));
}

}  // namespace
}  // namespace headroom
