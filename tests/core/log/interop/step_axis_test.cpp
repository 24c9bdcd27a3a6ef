#include "core/log/interop/step_axis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/log/interop/json_logs.h"
#include "core/log/interop/read_foreign_log.h"
#include "core/log/interop/text_logs.h"
#include "core/log/interop/wandb_file.h"
#include "tests/core/log/interop/framed_logs.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::UnorderedElementsAre;

using Cells = std::vector<std::pair<std::string, std::string>>;

/// What each call of log() of one run had, in the three forms that Weights & Biases gives it.
std::string as_wandb(const std::vector<Cells>& calls) {
    std::vector<std::string> records;
    for (size_t i = 0; i < calls.size(); ++i)
        records.push_back(history_record(static_cast<int64_t>(i), calls[i]));
    return wandb_file(records);
}

std::string as_jsonl(const std::vector<Cells>& calls) {
    std::string text;
    for (size_t i = 0; i < calls.size(); ++i) {
        text += fmt::format("{{\"_step\": {}", i);
        for (const auto& [name, value] : calls[i]) text += fmt::format(", \"{}\": {}", name, value);
        text += "}\n";
    }
    return text;
}

std::string as_csv(const std::vector<Cells>& calls, const std::vector<std::string>& heads) {
    std::string text = fmt::format("_step,{}\n", fmt::join(heads, ","));
    for (size_t i = 0; i < calls.size(); ++i) {
        text += std::to_string(i);
        for (const std::string& head : heads) {
            text += ',';
            for (const auto& [name, value] : calls[i])
                if (name == head) text += value;
        }
        text += '\n';
    }
    return text;
}

std::vector<int64_t> places_of(const ForeignLog& log, const std::string& name) {
    std::vector<int64_t> steps;
    if (const auto found = log.scalars.find(name); found != log.scalars.end())
        for (const ForeignPoint& point : found->second) steps.push_back(point.step);
    return steps;
}

/// nanoGPT's own call; the last has no "iter".
std::vector<Cells> nanogpt_calls() {
    std::vector<Cells> calls;
    for (const int it : {0, 2000, 4000})
        calls.push_back({{"iter", std::to_string(it)}, {"train/loss", "3.5"}});
    calls.push_back({{"note", "1"}});
    return calls;
}

// 0, 2000, 4000 came in as 0, 1, 2: the calls of log() were counted.
TEST(StepAxis, OneRunHasTheSameStepsInEveryForm) {
    const std::vector<Cells> calls = nanogpt_calls();
    for (const ForeignLog& log :
         {read_wandb_file(as_wandb(calls), "it"), read_jsonl_log(as_jsonl(calls)),
          read_csv_log(as_csv(calls, {"iter", "train/loss", "note"}))}) {
        EXPECT_THAT(places_of(log, "train/loss"), ElementsAre(0, 2000, 4000)) << log.tool;
        EXPECT_THAT(places_of(log, "note"), ElementsAre(4000)) << log.tool;
        EXPECT_THAT(log.scalars, UnorderedElementsAre(Key("train/loss"), Key("note"))) << log.tool;
        EXPECT_THAT(log.notes, ElementsAre(AllOf(HasSubstr("those of iter"), HasSubstr("_step")),
                                           HasSubstr("row before: 1")))
            << log.tool;
    }
}

TEST(StepAxis, TheTrainersOwnStepIsTaken) {
    for (const char* name : {"train/global_step", "trainer/global_step", "global_step", "step"}) {
        std::vector<Cells> calls;
        for (const int step : {10, 20, 20, 30})
            calls.push_back({{calls.size() == 2 ? "eval/loss" : "train/loss", "3"},
                             {name, std::to_string(step)}});
        const ForeignLog log = read_wandb_file(as_wandb(calls), "it");
        EXPECT_THAT(places_of(log, "train/loss"), ElementsAre(10, 20, 30)) << name;
        EXPECT_THAT(places_of(log, "eval/loss"), ElementsAre(20)) << name;
    }
}

TEST(StepAxis, AColumnOfSomeRowsOrOfOneEpochIsNot) {
    std::vector<Cells> calls;
    for (int call = 0; call < 6; ++call)
        calls.push_back({{"loss", "3"}, {"iter", std::to_string(call % 3)}});
    calls[4].emplace_back("global_step", "700");
    const ForeignLog log = read_jsonl_log(as_jsonl(calls));
    EXPECT_THAT(places_of(log, "loss"), ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_EQ(places_of(log, "iter").size(), 6u) << "a number like any other";
    EXPECT_THAT(log.notes, ElementsAre("steps are those of _step, not of global_step or iter"));
}

TEST(StepAxis, WhatIsAskedForIsTakenInEveryForm) {
    const TemporaryFolder folder;
    std::vector<Cells> calls = nanogpt_calls();
    for (Cells& cells : calls) cells.emplace_back("seen", "1" + cells.front().second);
    write_plainly(folder / "a.wandb", as_wandb(calls));
    write_plainly(folder / "b.jsonl", as_jsonl(calls));
    write_plainly(folder / "c.csv", as_csv(calls, {"seen", "iter", "train/loss"}));
    for (const char* name : {"a.wandb", "b.jsonl", "c.csv", ""}) {
        const std::filesystem::path source = folder / name;
        EXPECT_THAT(places_of(read_foreign_log(source, {.step_column = "seen"}), "train/loss"),
                    ElementsAre(10, 12000, 14000))
            << name;
        EXPECT_THAT(places_of(read_foreign_log(source, {.step_column = "_step"}), "train/loss"),
                    ElementsAre(0, 1, 2))
            << name;
        EXPECT_THROW(read_foreign_log(source, {.step_column = "sen"}), UserError) << name;
    }
    write_plainly(folder / "nano.log", "step 0: train loss 10.9, val loss 10.95\n");
    EXPECT_THROW(read_foreign_log(folder / "nano.log", {.step_column = "seen"}), UserError);
}

TEST(StepAxis, LinesWithoutStepsAreCountedAndThatIsTold) {
    const ForeignLog log = read_jsonl_log("{\"loss\": 3}\n{\"loss\": 2}\n");
    EXPECT_THAT(places_of(log, "loss"), ElementsAre(1, 2));
    EXPECT_THAT(log.notes, ElementsAre(HasSubstr("rows are counted")));
    const ForeignLog some = read_jsonl_log("{\"step\": 5, \"loss\": 3}\n{\"last\": 2}\n");
    EXPECT_THAT(some.scalars, UnorderedElementsAre(Key("loss")));
    EXPECT_THAT(some.notes, ElementsAre(HasSubstr("1 rows without a step")));
    EXPECT_THAT(read_jsonl_log("").notes, IsEmpty());
}

TEST(StepAxis, RowsMayNameTheirStepsDifferently) {
    std::string text;
    for (int i = 1; i <= 8; ++i) text += fmt::format("{{\"iter\": {}, \"loss\": 3}}\n", 10 * i);
    text += "{\"step\": 80, \"val/loss\": 4}\n";
    const ForeignLog log = read_jsonl_log(text);
    EXPECT_EQ(places_of(log, "loss").size(), 8u);
    EXPECT_THAT(places_of(log, "val/loss"), ElementsAre(80));
}

TEST(StepAxis, AStepInOneRowOfManyIsNoColumnOfSteps) {
    std::string text;
    for (int i = 1; i <= 29; ++i) text += "{\"loss\": 3}\n";
    const ForeignLog log = read_jsonl_log(text + "{\"step\": 29, \"final\": 2}\n");
    EXPECT_EQ(places_of(log, "loss").size(), 29u);
}

TEST(StepAxis, OfHalfOfTheRowsIsNotOfMost) {
    std::string text;
    for (int i = 1; i <= 6; ++i)
        text += fmt::format("{{\"step\": {}, {}\"loss\": 3}}\n", 10 * i,
                            i > 3 ? "" : fmt::format("\"global_step\": {}, ", i));
    EXPECT_THAT(places_of(read_jsonl_log(text), "loss"), ElementsAre(10, 20, 30, 40, 50, 60));
}

TEST(StepAxis, ATenthOfTheRowsIsEnough) {
    std::string text = "{\"step\": 500, \"val/loss\": 2}\n";
    for (int i = 2; i <= 10; ++i) text += "{\"loss\": 3}\n";
    const ForeignLog tenth = read_jsonl_log(text);
    EXPECT_THAT(places_of(tenth, "val/loss"), ElementsAre(500));
    EXPECT_THAT(tenth.notes, ElementsAre(HasSubstr("9 rows without a step")));
    EXPECT_THAT(places_of(read_jsonl_log(text + "{\"loss\": 3}\n"), "val/loss"), ElementsAre(1));
}

TEST(StepAxis, StepsInQuotesAreSteps) {
    const ForeignLog log =
        read_jsonl_log("{\"step\": \"10\", \"loss\": 3}\n{\"step\": \"20\", \"loss\": 2}\n");
    EXPECT_THAT(places_of(log, "loss"), ElementsAre(10, 20));
    EXPECT_THROW(read_jsonl_log("{\"step\": null, \"loss\": 3}\n{\"step\": \"x\"}\n"), UserError);
}

}  // namespace
}  // namespace headroom
