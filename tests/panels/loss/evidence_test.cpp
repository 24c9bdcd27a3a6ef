#include "panels/loss/evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/panels/loss/example_run.h"

namespace headroom {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

RunPointer run_with_losses(const std::string& group, int64_t seed, float final_loss,
                           int64_t tokens = 100) {
    return ExampleRun{.id = group + "-s" + std::to_string(seed),
                      .group = group,
                      .seed = seed,
                      .color = group == "base" ? 0 : 3,
                      .tokens_per_step = tokens,
                      .losses = {5, 4, 3},
                      .val_steps = {1, 3},
                      .val_losses = {4, final_loss}}
        .make();
}

LossSettings against_base() {
    LossSettings settings;
    settings.baseline = "base-s1";
    return settings;
}

TEST(Evidence, GivesTheDifferenceOfEveryVariantPairedBySeed) {
    const Evidence evidence =
        build_evidence({run_with_losses("base", 1, 3), run_with_losses("base", 2, 3.5f),
                        run_with_losses("base", 3, 4), run_with_losses("other", 1, 3.5f),
                        run_with_losses("other", 2, 4), run_with_losses("other", 3, 4.75f)},
                       against_base());
    ASSERT_EQ(evidence.rows.size(), 2u);
    EXPECT_EQ(evidence.rows[0][3], "baseline");
    EXPECT_EQ(evidence.rows[1][0], "other");
    EXPECT_EQ(evidence.rows[1][1], "3");
    EXPECT_EQ(evidence.rows[1][3], "+0.5833");
    EXPECT_EQ(evidence.rows[1][4], "[+0.2248, +0.9419]");
    EXPECT_EQ(evidence.colors[1], 3);
    EXPECT_THAT(evidence.warnings, IsEmpty());
}

TEST(Evidence, IsOfTheSeriesThatIsShown) {
    LossSettings settings = against_base();
    settings.metric = "train/loss";  // alike, where the validation losses differ
    const Evidence evidence = build_evidence(
        {run_with_losses("base", 1, 3), run_with_losses("other", 1, 3.5f)}, settings);
    EXPECT_EQ(evidence.rows.at(1)[3], "+0.0000");
}

TEST(Evidence, WarnsOfTooFewSeeds) {
    const Evidence evidence =
        build_evidence({run_with_losses("base", 1, 3), run_with_losses("base", 2, 3.5f),
                        run_with_losses("other", 1, 3.5f), run_with_losses("other", 2, 4)},
                       against_base());
    EXPECT_THAT(evidence.warnings, Contains(HasSubstr("2 pairs: too few to tell")));
}

TEST(Evidence, WarnsOfRunsThatAreNoPair) {
    const Evidence evidence = build_evidence(
        {run_with_losses("base", 1, 3), run_with_losses("other", 1, 3.5f, 200)}, against_base());
    EXPECT_THAT(evidence.warnings, Contains(HasSubstr("no pair")));
    EXPECT_EQ(evidence.rows.at(1)[3], "-");
}

TEST(Evidence, SaysWhyThereIsNothingToCompare) {
    LossSettings settings = against_base();
    settings.baseline = "elsewhere";
    const Evidence evidence = build_evidence({run_with_losses("base", 1, 3)}, settings);
    EXPECT_THAT(evidence.rows, IsEmpty());
    EXPECT_THAT(evidence.warnings, Contains(HasSubstr("elsewhere is not among the runs")));
}

}  // namespace
}  // namespace headroom
