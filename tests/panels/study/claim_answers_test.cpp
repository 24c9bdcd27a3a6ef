#include "panels/study/claim_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/job_json.h"
#include "tests/panels/study/measured_run.h"

namespace headroom {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A plan of the runs, their groups its variants, with these claims.
Study plan_of(const std::vector<RunPointer>& runs, const std::vector<std::string>& claims) {
    Study plan;
    for (const RunPointer& run : runs) plan.runs.push_back({run->id, run->group, {}});
    for (const std::string& text : claims) plan.expect.push_back(parse_claim(text, "expect"));
    return plan;
}

std::vector<ClaimAnswer> answers(const std::vector<RunPointer>& runs,
                                 const std::vector<std::string>& claims) {
    StudySnapshot study;
    study.runs = runs;
    return answer_claims(plan_of(runs, claims), study);
}

ClaimAnswer answer(const std::vector<RunPointer>& runs, const std::string& claim) {
    return answers(runs, {claim}).at(0);
}

// Intervals, p and seeds from SciPy: ttest_rel, ttest_1samp, and the noncentral t integrated over
// the deviation, on the float32 losses of Wu et al., table 5.
TEST(AnswerClaims, AnOrderIsDecidedByThePairedInterval) {
    const ClaimAnswer less = answer(table_5(), "skip < base by val.loss");
    EXPECT_EQ(less.verdict, Verdict::kHeld);
    const StepAnswer& step = less.steps.at(0);
    EXPECT_EQ(step.n, 3);
    EXPECT_NEAR(step.estimate.value(), -0.0113333, 1e-7);
    EXPECT_NEAR(step.interval->low, -0.0142017, 1e-7);
    EXPECT_NEAR(step.interval->high, -0.0084649, 1e-7);
    EXPECT_NEAR(step.p.value(), 0.00344228, 1e-7);
    EXPECT_EQ(step.seeds_needed, 3);
    EXPECT_EQ(answer(table_5(), "skip > base by val.loss").verdict, Verdict::kDidNotHold);
    EXPECT_EQ(answer(table_5(), "base > skip by val.loss").verdict, Verdict::kHeld);
}

TEST(AnswerClaims, AMarginIsPartOfTheTest) {
    const ClaimAnswer open = answer(table_5(), "skip < base - 0.01 by val.loss");
    EXPECT_EQ(open.verdict, Verdict::kNotDecided);
    EXPECT_NEAR(open.steps[0].p.value(), 0.1835054, 1e-6);
    EXPECT_EQ(open.steps[0].seeds_needed, 9);
    EXPECT_EQ(open.more_seeds(), 6);
    EXPECT_EQ(verdict_text(open), "not decided with 3 seeds (about 6 more)");
    EXPECT_EQ(answer(table_5(), "skip < base - 0.02 by val.loss").verdict, Verdict::kDidNotHold);
}

TEST(AnswerClaims, ARatioIsOfEachPair) {
    const ClaimAnswer held = answer(table_5(), "skip / base < 0.997 by val.loss");
    EXPECT_EQ(held.verdict, Verdict::kHeld);
    const StepAnswer& step = held.steps.at(0);
    EXPECT_NEAR(step.estimate.value(), 0.9958625, 1e-7);
    EXPECT_NEAR(step.interval->low, 0.9947751, 1e-7);
    EXPECT_NEAR(step.interval->high, 0.9969499, 1e-7);
    EXPECT_NEAR(step.p.value(), 0.0459876, 1e-6);
}

TEST(AnswerClaims, AnEqualityHoldsWhereTheWholeIntervalLiesWithin) {
    const ClaimAnswer held = answer(table_5(), "skip = base by val.loss within 0.02");
    EXPECT_EQ(held.verdict, Verdict::kHeld);
    EXPECT_NEAR(held.steps[0].p.value(), 0.0058650, 1e-6);
    const ClaimAnswer open = answer(table_5(), "skip = base by val.loss within 0.012");
    EXPECT_EQ(open.verdict, Verdict::kNotDecided);
    EXPECT_NEAR(open.steps[0].p.value(), 0.4226294, 1e-6);
    EXPECT_EQ(open.steps[0].seeds_needed, 26);
    const ClaimAnswer refuted = answer(table_5(), "skip = base by val.loss within 0.005");
    EXPECT_EQ(refuted.verdict, Verdict::kDidNotHold);
    EXPECT_NEAR(refuted.steps[0].p.value(), 0.0108993, 1e-6);
    EXPECT_EQ(answer(table_5(), "skip = base - 0.011 by val.loss within 0.005").verdict,
              Verdict::kHeld);
}

/// That many should have decided with power 0.8: one in five times they did not.
TEST(AnswerClaims, WhatIsOpenNeedsASeedMoreAtLeast) {
    StepAnswer step;
    step.n = 5;
    step.seeds_needed = 4;
    ClaimAnswer open;
    open.steps = {step};
    EXPECT_EQ(open.more_seeds(), 1);
    EXPECT_EQ(verdict_text(open), "not decided with 5 seeds (about 1 more)");
}

TEST(AnswerClaims, AChainHoldsWhereEveryStepDoes) {
    std::vector<RunPointer> runs = table_5();
    for (const int64_t seed : {42, 100, 2025})
        runs.push_back(run("best", seed, 2 + static_cast<float>(seed) * 1e-5f));
    EXPECT_EQ(answer(runs, "best < skip < base by val.loss").verdict, Verdict::kHeld);
    EXPECT_EQ(answer(runs, "best < base < skip by val.loss").verdict, Verdict::kDidNotHold);
    const ClaimAnswer open = answer(runs, "best < skip < base - 0.01 by val.loss");
    EXPECT_EQ(open.verdict, Verdict::kNotDecided);
    EXPECT_EQ(open.more_seeds(), 6) << "of the step that is open";
}

TEST(AnswerClaims, SeveralAreCorrectedTogether) {
    const auto both =
        answers(table_5(), {"skip < base by val.loss", "skip / base < 0.997 by val.loss"});
    EXPECT_NEAR(both[0].steps[0].p_holm.value(), 2 * both[0].steps[0].p.value(), 1e-12);
    EXPECT_EQ(both[1].steps[0].p_holm, both[1].steps[0].p);
}

TEST(AnswerClaims, WhatHoldsByItselfAloneIsSaid) {
    const auto one = answers(table_5(), {"skip < base by val.loss"});
    ASSERT_EQ(one[0].verdict, Verdict::kHeld);
    EXPECT_THAT(one[0].steps[0].notes, Not(Contains(HasSubstr("Holm"))));
    const int times = static_cast<int>(0.05 / one[0].steps[0].p.value()) + 1;
    const auto many = answers(
        table_5(), std::vector<std::string>(static_cast<size_t>(times), "skip < base by val.loss"));
    EXPECT_EQ(many[0].verdict, Verdict::kHeld);
    EXPECT_THAT(many[0].steps[0].notes,
                Contains(HasSubstr("held by itself, but not with Holm's correction")));
}

TEST(AnswerClaims, WhereALossIsFromIsSaidWhereItIsNotFromThere) {
    const std::vector<RunPointer> runs = table_5();
    Study plan = plan_of(runs, {"skip < base by val.loss"});
    const auto notes_at = [&](int64_t tokens) {
        plan.expect[0].at_tokens = tokens;
        StudySnapshot study;
        study.runs = runs;
        return answer_claims(plan, study)[0].steps[0].notes;
    };
    EXPECT_THAT(notes_at(500), Not(Contains(HasSubstr("is from"))));
    EXPECT_THAT(notes_at(900), Contains(HasSubstr("is from 500 tokens, the last before 900")));
}

TEST(AnswerClaims, OneSeedDecidesNothing) {
    const std::vector<RunPointer> runs = {run("base", 1, 3), run("skip", 1, 2)};
    const ClaimAnswer open = answer(runs, "skip < base by val.loss");
    EXPECT_EQ(open.verdict, Verdict::kNotDecided);
    EXPECT_EQ(open.steps[0].estimate, -1);
    EXPECT_FALSE(open.steps[0].p.has_value());
    EXPECT_EQ(verdict_text(open), "not decided with 1 seed");
}

TEST(AnswerClaims, WhatIsLeftOfAVariantThatDivergesDecidesNothing) {
    std::vector<RunPointer> runs = table_5();
    runs.push_back(MeasuredRun{.group = "skip", .seed = 9, .state = RunState::kDiverged}.make());
    const ClaimAnswer open = answer(runs, "skip < base by val.loss");
    EXPECT_EQ(open.verdict, Verdict::kNotDecided);
    EXPECT_EQ(open.n(), 3);
    EXPECT_EQ(verdict_text(open), "not decided, as runs diverged");
    EXPECT_THAT(open.steps[0].notes, Contains("skip-s9 diverged at step 10"));
    EXPECT_EQ(answer(runs, "skip < base by train/grad_norm").verdict, Verdict::kNotDecided);
}

TEST(AnswerClaims, ABrokenPairingIsSaidAndDecidesNothing) {
    std::vector<RunPointer> runs = table_5();
    runs[3] = MeasuredRun{.group = "skip", .seed = 42, .data = 8}.make();
    runs[4] = MeasuredRun{.group = "skip", .seed = 100, .state = RunState::kRunning}.make();
    const ClaimAnswer open = answer(runs, "skip < base by val.loss");
    EXPECT_EQ(open.verdict, Verdict::kNotDecided);
    EXPECT_EQ(open.n(), 1);
    EXPECT_THAT(open.steps[0].notes, Contains(HasSubstr("different batches at step 1")));
    EXPECT_THAT(open.steps[0].notes, Contains(HasSubstr("skip-s100 not finished")));
}

// A study was changed between its seeds: elsewhere such runs are variants of their own.
TEST(AnswerClaims, RunsOfOneVariantWithDifferentJobsAreSaid) {
    const std::vector<RunPointer> runs = table_5();
    Study plan = plan_of(runs, {"skip < base by val.loss"});
    std::vector<RunPointer> changed = runs;
    for (RunPointer& run : changed) {
        if (run->id != "base-s42") continue;
        auto other = std::make_shared<headroom::Run>(*run);
        other->group = "base · lr 3e-3";
        run = other;
    }
    StudySnapshot study;
    study.runs = changed;
    EXPECT_THAT(answer_claims(plan, study).at(0).steps.at(0).notes,
                Contains(HasSubstr("the runs of base were trained with different jobs: ")));
    study.runs = runs;
    EXPECT_THAT(answer_claims(plan, study).at(0).steps.at(0).notes, IsEmpty());
}

TEST(AnswerClaims, PairsBySeedAloneMayHaveBeenTrainedDifferently) {
    std::vector<RunPointer> runs;
    for (const int64_t seed : {1, 2, 3}) {
        const float loss = 3 + 0.01F * static_cast<float>(seed);
        runs.push_back(run("base", seed, loss));
        runs.push_back(MeasuredRun{.group = "on",
                                   .seed = seed,
                                   .val_losses = {loss + 0.5F, loss - 0.1F},
                                   .steps = 5,
                                   .data = 8}
                           .make());
    }
    StudySnapshot study;
    study.runs = runs;
    Study plan = plan_of(runs, {"on < base by val.loss", "on > base by val.loss"});
    EXPECT_EQ(answer_claims(plan, study).at(0).n(), 0);
    for (Claim& claim : plan.expect) claim.by_seed = true;
    const auto by_seed = answer_claims(plan, study);
    EXPECT_EQ(by_seed.at(0).verdict, Verdict::kHeld);
    EXPECT_NEAR(by_seed.at(0).steps.at(0).estimate.value(), -0.1, 1e-6);
    EXPECT_TRUE(by_seed.at(0).steps.at(0).notes.empty());
    plan.expect.at(1).at_tokens = 0;  // before the first step: 5 and loss + 0.5
    EXPECT_NEAR(answer_claims(plan, study).at(1).steps.at(0).estimate.value(), 3.52 - 5, 1e-6);
}

TEST(AnswerClaims, CountsNeedNoTest) {
    const auto job_of = [](const char* model) {
        nlohmann::json document = {{"model", nlohmann::json::parse(model)}};
        document["model"]["vocab_size"] = 256;
        return std::make_shared<const Job>(parse_job(document, "job"));
    };
    std::vector<RunPointer> runs;
    for (const char* arch : {"gpt2", "skipv1"}) {
        headroom::Run entry;
        entry.id = entry.group = arch;
        entry.planned = true;
        entry.job = job_of((R"({"preset": "demo", "arch": ")" + std::string(arch) + "\"}").c_str());
        runs.push_back(std::make_shared<const headroom::Run>(entry));
    }
    // Four layers of which three keep half of their values: 1 - 3/16 of the cache.
    const ClaimAnswer held =
        answer(runs, "skipv1 / gpt2 = 0.8125 by kv_bytes_per_token within 1e-9");
    EXPECT_EQ(held.verdict, Verdict::kHeld);
    EXPECT_THAT(held.steps[0].notes, IsEmpty());
    EXPECT_EQ(answer(runs, "skipv1 > gpt2 by params").verdict, Verdict::kDidNotHold);
}

TEST(AnswerClaims, EqualCountsAreEqual) {
    std::vector<RunPointer> runs;
    for (const char* id : {"a", "b"}) {
        headroom::Run entry;
        entry.id = entry.group = id;
        entry.planned = true;
        entry.job = std::make_shared<const Job>(
            parse_job({{"model", {{"preset", "demo"}, {"vocab_size", 256}}}}, "job"));
        runs.push_back(std::make_shared<const headroom::Run>(entry));
    }
    EXPECT_EQ(answer(runs, "a = b by params").verdict, Verdict::kHeld);
    EXPECT_EQ(answer(runs, "a / b = 1 by params").verdict, Verdict::kHeld);
    EXPECT_EQ(answer(runs, "a = b + 1 by params").verdict, Verdict::kDidNotHold);
    EXPECT_EQ(answer(runs, "a < b by params").verdict, Verdict::kDidNotHold);
}

TEST(AnswerClaims, AnUnknownMeasureIsRefused) {
    EXPECT_THROW(answer(table_5(), "skip < base by lose"), UserError);
}

}  // namespace
}  // namespace headroom
