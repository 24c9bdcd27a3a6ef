#include "app/study/study_templates.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "panels/study/claim_answers.h"
#include "panels/study/measured_runs.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const std::filesystem::path kFolder =
    std::filesystem::path(HEADROOM_SOURCE_DIR) / "resources/studies";

template <class Visit>
void for_each_study(Visit visit) {
    for (const StudyTemplate& each : list_templates(kFolder))
        for (const std::string& scale : each.scales) {
            SCOPED_TRACE(each.name + " at scale " + scale);
            visit(template_study(each, scale), scale);
        }
}

/// The study as it stands before anything was trained; the vocabulary of a task is a byte's.
StudySnapshot planned(const Study& study) {
    StudySnapshot snapshot;
    for (const StudyRun& each : study.runs) {
        Job job = each.job;
        if (job.model.vocab_size == 0) job.model.vocab_size = 256;
        Run run;
        run.id = each.id;
        run.group = each.variant;
        run.seed = job.seed;
        run.planned = true;
        run.job = std::make_shared<const Job>(std::move(job));
        snapshot.runs.push_back(std::make_shared<const Run>(std::move(run)));
    }
    return snapshot;
}

TEST(StudyTemplates, AreThereAtThreeScales) {
    std::set<std::string> names;
    for (const StudyTemplate& each : list_templates(kFolder)) {
        names.insert(each.name);
        EXPECT_THAT(each.scales, testing::ElementsAre("laptop", "gpu", "paper")) << each.name;
    }
    for (const char* name : {"000-table2", "000-decay", "001-rates", "001-one-of-three",
                             "004-table5", "004-figure4", "004-ratios"})
        EXPECT_THAT(names, Contains(name));
}

TEST(StudyTemplates, SayWhatTheyAskAndTestClaims) {
    for_each_study([](const Study& study, const std::string& scale) {
        EXPECT_FALSE(study.description.empty());
        EXPECT_FALSE(study.expect.empty());
        if (scale == "laptop") {
            EXPECT_GE(study.seeds.size(), 3u);
        }
        for (const Claim& claim : study.expect) {
            EXPECT_FALSE(claim.says.empty()) << claim.text;
            EXPECT_FALSE(claim.source.empty()) << claim.text;
        }
    });
}

/// What follows from the jobs alone is true at every scale; everything else waits for runs.
TEST(StudyTemplates, TheirCountsAreThoseOfThePapers) {
    int exact = 0;
    for_each_study([&](const Study& study, const std::string&) {
        for (const ClaimAnswer& answer : answer_claims(study, planned(study))) {
            const bool counted = answer.n() > 0;
            exact += counted;
            EXPECT_EQ(answer.verdict, counted ? Verdict::kHeld : Verdict::kNotDecided)
                << answer.claim.text;
        }
    });
    EXPECT_GE(exact, 12);
}

TEST(StudyTemplates, ThePapersOwnRecipeIsThatOfTheScalePaper) {
    const Study study = template_study(find_template(kFolder, "000-table2", "paper"), "paper");
    ASSERT_EQ(study.runs.size(), 5u);
    const TrainConfig& train = study.runs[3].job.train;
    EXPECT_EQ(train.decay_steps, 600000);
    EXPECT_EQ(train.steps, 100000);
    EXPECT_EQ(train.batch_size * train.grad_accum * train.seq_len, 491520);
    EXPECT_EQ(train.weight_decay, 0.03125);
    EXPECT_EQ(study.runs[2].job.model.d_model, 744);
}

TEST(StudyTemplates, OneBecomesAStudyOfAFolder) {
    const TemporaryFolder folder;
    const std::filesystem::path study = folder.path() / "a/b";
    make_study(find_template(kFolder, "001-rates", "gpu"), "gpu", study);
    const Study made = load_study(study / "study.json");
    EXPECT_EQ(made.runs.size(), 30u);
    EXPECT_EQ(made.runs.front().job.model.d_model, 384);
    EXPECT_THAT([&] { make_study(find_template(kFolder, "001-rates", "gpu"), "gpu", study); },
                ThrowsMessage<UserError>(HasSubstr("is there already")));
}

TEST(StudyTemplates, WhatThereIsNotIsSaid) {
    EXPECT_THAT([] { find_template(kFolder, "000-tabel2", "laptop"); },
                ThrowsMessage<UserError>(HasSubstr("did you mean \"000-table2\"")));
    EXPECT_THAT([] { find_template(kFolder, "000-table2", "gpus"); },
                ThrowsMessage<UserError>(HasSubstr("did you mean \"gpu\"")));
}

}  // namespace
}  // namespace headroom
