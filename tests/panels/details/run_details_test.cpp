#include "panels/details/run_details.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/config/job_json.h"
#include "panels/base/number_format.h"

namespace headroom {
namespace {

Run entry_of(const char* arch) {
    headroom::Run run;
    run.id = "a-s1";
    run.folder = "/s/runs/a-s1";
    run.status.phase = RunPhase::kRunning;
    run.status.step = 1200;
    run.status.steps = 5000;
    run.status.loss = 2.5;
    run.status.val_loss = std::nan("");
    run.job = std::make_shared<const Job>(parse_job(
        {{"model", {{"preset", "gpt2-124m"}, {"arch", arch}, {"vocab_size", 50304}}}}, ""));
    return run;
}

std::string value_of(const std::vector<DetailSection>& sections, const std::string& title,
                     const std::string& name) {
    for (const DetailSection& section : sections)
        for (const DetailLine& line : section.lines)
            if (section.title == title && line.name == name) return line.value;
    return "(none)";
}

TEST(RunDetails, TellHowTheRunStands) {
    const auto details = build_run_details(entry_of("gpt2"));
    EXPECT_EQ(value_of(details, "Run", "step"), "1,200 of 5,000");
    EXPECT_EQ(value_of(details, "Run", "loss"), "2.5000 nats/token");
    EXPECT_EQ(value_of(details, "Run", "validation loss"), "(none)");
    EXPECT_EQ(value_of(details, "Run", "worked for"), "(none)") << "its log has no time";
    headroom::Run timed = entry_of("gpt2");
    timed.status.seconds = 90;
    EXPECT_EQ(value_of(build_run_details(timed), "Run", "worked for"), format_duration(90));
}

TEST(RunDetails, OfImagesSayHowManyAreRight) {
    headroom::Run run = entry_of("gpt2");
    run.job = std::make_shared<const Job>(
        parse_job({{"model", {{"preset", "demo-vit"}, {"n_class", 10}}}}, ""));
    run.status.val_accuracy = 0.875;
    const auto details = build_run_details(run);
    EXPECT_EQ(value_of(details, "Run", "loss"), "2.5000 nats/image");
    EXPECT_EQ(value_of(details, "Run", "validation accuracy"), "87.50 %");
    EXPECT_EQ(value_of(details, "Model", "vocab_size"), "10");
}

TEST(RunDetails, CountWhatTheModelCounts) {
    const auto details = build_run_details(entry_of("gpt2"));
    EXPECT_EQ(value_of(details, "Counts", "parameters"), "124,373,760");
    EXPECT_EQ(value_of(details, "Counts", "saved by sharing"), "(none)");
    EXPECT_EQ(value_of(build_run_details(entry_of("skipv1")), "Counts", "saved by sharing"),
              "22.9 %");
}

TEST(RunDetails, AnEncoderHasNoCache) {
    headroom::Run run = entry_of("gpt2");
    Job encoder = *run.job;
    encoder.model.causal = false;
    run.job = std::make_shared<const Job>(encoder);
    EXPECT_EQ(value_of(build_run_details(run), "Counts", "KV cache/token"), "none: an encoder");
}

TEST(RunDetails, ShowTheKeysOfTheJob) {
    const auto details = build_run_details(entry_of("skipv1"));
    EXPECT_EQ(value_of(details, "Model", "value_source"), "skip");
    EXPECT_EQ(value_of(details, "Train", "steps"), "500");
    EXPECT_EQ(value_of(details, "Job", "seed"), "1");
}

TEST(RunDetails, ARunWithoutAReadableJobStillSaysWhatIsWrong) {
    headroom::Run run = entry_of("gpt2");
    run.job.reset();
    run.status.problem = "job.json is empty";
    const auto details = build_run_details(run);
    EXPECT_EQ(details.size(), 1u);
    EXPECT_EQ(value_of(details, "Run", "problem"), "job.json is empty");
}

}  // namespace
}  // namespace headroom
