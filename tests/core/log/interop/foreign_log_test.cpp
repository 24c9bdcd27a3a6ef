#include <cmath>
#include <cstdint>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/log/interop/json_logs.h"
#include "core/log/interop/text_logs.h"
#include "core/log/interop/tfevents.h"
#include "tests/core/log/interop/framed_logs.h"

namespace headroom {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::UnorderedElementsAre;

std::vector<std::pair<int64_t, double>> steps_of(const ForeignLog& log, const std::string& name) {
    std::vector<std::pair<int64_t, double>> points;
    if (const auto found = log.scalars.find(name); found != log.scalars.end())
        for (const ForeignPoint& point : found->second)
            points.emplace_back(point.step, point.value);
    return points;
}

ForeignLog example() {
    ForeignLog log{"test", {}};
    for (int step : {1, 2, 3}) {
        log.add("train/loss", {step, 1.7e9 + step, 3.0 / step});
        log.add("val/loss", {step, 1.7e9 + step, 4.0 / step});
    }
    return log;
}

TEST(TfEvents, AreReadBackAsTheyWereWritten) {
    ForeignLog read;
    read_tfevents(make_tfevents(example()), "events", read);
    EXPECT_THAT(read.scalars, UnorderedElementsAre(Key("train/loss"), Key("val/loss")));
    const auto& points = read.scalars.at("train/loss");
    ASSERT_EQ(points.size(), 3u);
    EXPECT_EQ(points[2].step, 3);
    EXPECT_EQ(points[2].value, 1.0);
    EXPECT_EQ(points[2].wall_time, 1.7e9 + 3);
    EXPECT_EQ(static_cast<float>(points[1].value), 1.5f);
}

TEST(TfEvents, ARecordThatIsCutOffEndsTheFile) {
    const std::string whole = make_tfevents(example());
    for (size_t size = 0; size < whole.size(); ++size) {
        ForeignLog read;
        EXPECT_NO_THROW(read_tfevents(whole.substr(0, size), "events", read)) << size;
    }
}

TEST(TfEvents, AChangedByteIsNoticedWhereverItIs) {
    const std::string whole = make_tfevents(example());
    for (size_t at = 0; at < whole.size(); at += 3) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
        ForeignLog read;
        try {
            read_tfevents(damaged, "events", read);
            ADD_FAILURE() << "byte " << at;
        } catch (const UserError& error) {
            EXPECT_THAT(error.what(), testing::HasSubstr("damaged"));
        }
    }
}

/// As TensorFlow writes a scalar: a TensorProto in field 8 of the value, by each of its ways.
TEST(TfEvents, ANumberMayStandInATensor) {
    const std::string float_type = "\x08\x01", double_type = "\x08\x02";
    const std::vector<std::pair<std::string, std::string>> tensors = {
        {"float content", float_type + proto_bytes(4, raw_bytes(2.5f))},
        {"double content", double_type + proto_bytes(4, raw_bytes(2.5))},
        {"float_val", float_type + "\x2d" + raw_bytes(2.5f)},
        {"double_val", double_type + "\x31" + raw_bytes(2.5)},
        {"packed float_val", float_type + proto_bytes(5, raw_bytes(2.5f))},
        {"packed double_val", double_type + proto_bytes(6, raw_bytes(2.5))}};
    for (const auto& [name, tensor] : tensors) {
        const std::string value = proto_bytes(1, "loss") + proto_bytes(8, tensor);
        const std::string event = "\x10\x07" + proto_bytes(5, proto_bytes(1, value));
        ForeignLog log;
        read_tfevents(tensorboard_file({event}), "it", log);
        EXPECT_THAT(steps_of(log, "loss"), ElementsAre(std::pair(7, 2.5))) << name;
    }
}

TEST(ForeignLog, ARunThatWasTakenUpAgainCountsFromThere) {
    ForeignLog log;
    for (const int step : {10, 20, 30, 20, 40}) log.add("x", {step, 0, 1.0 * step});
    EXPECT_THAT(steps_of(log, "x"),
                ElementsAre(std::pair(10, 10.0), std::pair(20, 20.0), std::pair(40, 40.0)));
}

// The run ended at step 23, and its validation loss was said to be that of step 30 of a branch
// which nobody has.
TEST(TextLogs, WhatWasGivenUpHasNoEvaluationsEither) {
    const ForeignLog log = read_csv_log(
        "step,train/loss,val/loss\n10,4,\n20,3,2.9\n30,2.5,\n30,,2.2\n20,3.1,\n22,3,\n");
    EXPECT_THAT(steps_of(log, "train/loss"),
                ElementsAre(std::pair(10, 4.0), std::pair(20, 3.1), std::pair(22, 3.0)));
    EXPECT_THAT(steps_of(log, "val/loss"), ElementsAre(std::pair(20, 2.9)));
    EXPECT_EQ(log.overtaken, 3);
    // A series that begins later than another ends is of the same run.
    const ForeignLog parts = read_csv_log("step,a,b\n1,4,\n9,3,\n1,,2\n9,,1\n");
    EXPECT_EQ(steps_of(parts, "a").size(), 2u);
    EXPECT_EQ(steps_of(parts, "b").size(), 2u);
}

// Hugging Face's epoch stands in both rows of a step: "2 points are left out", though none was
// lost.
TEST(ForeignLog, TheSameNumberOnceMoreIsNoneLeftOut) {
    ForeignLog log;
    for (const double value : {0.5, 0.5, 0.25}) log.add("x", {10, 0, value});
    for (int i = 0; i < 2; ++i) log.add("x", {20, 0, std::nan("")});
    EXPECT_EQ(log.overtaken, 1);
    ASSERT_EQ(log.scalars.at("x").size(), 2u);
    EXPECT_EQ(log.scalars.at("x")[0].value, 0.25);
}

TEST(ForeignLog, StepsAndTimesThatCannotBeAreLeftOut) {
    ForeignLog log;
    for (const int64_t step :
         {std::numeric_limits<int64_t>::min(), int64_t{-1}, std::numeric_limits<int64_t>::max()})
        log.add("x", {step, 0, 1});
    EXPECT_EQ(log.misplaced, 3);
    EXPECT_TRUE(log.scalars.empty());
    const double times[] = {1.7e18, HUGE_VAL, std::nan(""), -5, 1.7e9};  // the first in nanoseconds
    for (int i = 0; i < 5; ++i) log.add("x", {i, times[i], 1});
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(log.scalars.at("x")[i].wall_time, 0) << i;
    EXPECT_EQ(log.scalars.at("x")[4].wall_time, 1.7e9);
}

TEST(TextLogs, NanoGpt) {
    const std::string text =
        "tokens per iteration will be: 16,384\n"
        "step 0: train loss 10.9, val loss 10.95\n"
        "iter 0: loss 10.98, time 41234.10ms, mfu -100.00%\n"
        "iter 10: loss 8.5, time 34.1ms, mfu 12.34%\nsaving checkpoint to out\n";
    const auto format = recognise_text_log(text);
    ASSERT_TRUE(format);
    EXPECT_EQ(format->name, "nanogpt");
    const ForeignLog log = format->read(text);
    EXPECT_THAT(steps_of(log, "train/loss"), ElementsAre(std::pair(1, 10.98), std::pair(11, 8.5)))
        << "iteration 0 is the first step";
    EXPECT_THAT(steps_of(log, "val/loss"), ElementsAre(std::pair(0, 10.95)));
    EXPECT_THAT(steps_of(log, "train/mfu_percent"),
                ElementsAre(std::pair(1, -100.0), std::pair(11, 12.34)));
    EXPECT_EQ(log.tokens_per_step, 16384);
    const auto seconds = steps_of(log, "train/seconds");
    ASSERT_EQ(seconds.size(), 2u);
    EXPECT_DOUBLE_EQ(seconds[0].second, 41.2341);
    EXPECT_DOUBLE_EQ(seconds[1].second, 41.2341 + 0.341) << "ten iterations of 34.1 ms";
}

/// A run that is continued from a checkpoint prints iterations that there were before.
TEST(TextLogs, SecondsOfANanoGptRunThatWasTakenUpAgainBeginAnew) {
    const ForeignLog log = read_nanogpt_log(
        "iter 0: loss 10, time 1000.00ms, mfu -100.00%\n"
        "iter 10: loss 8, time 100.00ms, mfu 10.00%\n"
        "iter 4: loss 9, time 200.00ms, mfu 10.00%\n"
        "iter 14: loss 7, time 200.00ms, mfu 10.00%\n");
    const auto seconds = steps_of(log, "train/seconds");
    ASSERT_EQ(seconds.size(), 3u) << "the tenth counts no more";
    EXPECT_DOUBLE_EQ(seconds[0].second, 1);
    EXPECT_EQ(seconds[1].first, 5);
    EXPECT_DOUBLE_EQ(seconds[1].second, 5 * 0.2);
    EXPECT_DOUBLE_EQ(seconds[2].second, 15 * 0.2);
}

TEST(TextLogs, LlmC) {
    const std::string text =
        "s:0 tel:11.0090\ns:0 eval:0.2461\ns:0 trl:10.97 lr:8.57e-07 norm:15.3\n";
    const auto format = recognise_text_log(text);
    ASSERT_TRUE(format);
    EXPECT_EQ(format->name, "llm.c");
    const ForeignLog log = format->read(text);
    EXPECT_THAT(steps_of(log, "val/loss"), ElementsAre(std::pair(0, 11.009)));
    EXPECT_THAT(steps_of(log, "train/loss"), ElementsAre(std::pair(1, 10.97)));
    EXPECT_THAT(steps_of(log, "train/lr"), ElementsAre(std::pair(1, 8.57e-07)));
    EXPECT_THAT(steps_of(log, "hellaswag"), ElementsAre(std::pair(0, 0.2461)));
}

TEST(TextLogs, ModdedNanoGpt) {
    const std::string text =
        "import os\nstep:0/5100 val_loss:16.0109 train_time:248ms step_avg:nanms\n"
        "step:1/5100 train_loss:16.01 train_time:500ms step_avg:nanms\n";
    const auto format = recognise_text_log(text);
    ASSERT_TRUE(format);
    EXPECT_EQ(format->name, "modded-nanogpt");
    const ForeignLog log = format->read(text);
    EXPECT_THAT(steps_of(log, "val/loss"), ElementsAre(std::pair(0, 16.0109)));
    EXPECT_THAT(steps_of(log, "train/seconds"),
                ElementsAre(std::pair(0, 0.248), std::pair(1, 0.5)));
}

TEST(TextLogs, CsvWithStepsTimesQuotesAndHoles) {
    const std::string text =
        "\"Step\",_timestamp,\"train/loss\",val/loss\r\n"
        "10,1700000000.5,2.5,\r\n20,1700000001,NaN,2.25\r\n";
    const ForeignLog log = recognise_text_log(text)->read(text);
    ASSERT_EQ(log.scalars.at("train/loss").size(), 2u);
    EXPECT_TRUE(std::isnan(log.scalars.at("train/loss")[1].value));
    EXPECT_EQ(log.scalars.at("train/loss")[0].wall_time, 1700000000.5);
    EXPECT_THAT(steps_of(log, "val/loss"), ElementsAre(std::pair(20, 2.25)));
    EXPECT_THROW(read_csv_log("a,b\n1,2,3\n"), UserError);
    EXPECT_THROW(read_csv_log("a,b\n1,2\n", "c"), UserError);
    EXPECT_THAT(steps_of(read_csv_log("n,loss\n5,2\n", "n"), "loss"),
                ElementsAre(std::pair(5, 2.0)));
}

// As spreadsheets and pandas write a text of two lines: it was a row of one place.
TEST(TextLogs, AQuotedPlaceOfATableMayHaveCommasAndLineEnds) {
    const ForeignLog log =
        read_csv_log("step,note,loss\r\n1,\"first, and\r\nsecond \"\"line\"\"\",3\r\n2,,2.5\r\n");
    EXPECT_THAT(steps_of(log, "loss"), ElementsAre(std::pair(1, 3.0), std::pair(2, 2.5)));
    const ForeignLog cut = read_csv_log("step,loss\n1,3\n2,\"2.");
    EXPECT_THAT(steps_of(cut, "loss"), ElementsAre(std::pair(1, 3.0), std::pair(2, 2.0)));
}

// Excel and PowerShell write the mark; the first column was no "step" for it.
TEST(TextLogs, AByteOrderMarkIsNoPartOfAName) {
    const std::string csv = "\xef\xbb\xbfstep,loss\r\n100,3\r\n200,2.5\r\n";
    const ForeignLog log = recognise_text_log(csv)->read(csv);
    EXPECT_THAT(steps_of(log, "loss"), ElementsAre(std::pair(100, 3), std::pair(200, 2.5)));
    EXPECT_THAT(log.scalars, UnorderedElementsAre(Key("loss")));
    EXPECT_THAT(log.notes, IsEmpty());
    const std::string json = "\xef\xbb\xbf{\"step\": 7, \"loss\": 3}\n";
    EXPECT_THAT(steps_of(recognise_text_log(json)->read(json), "loss"),
                ElementsAre(std::pair(7, 3)));
}

TEST(TextLogs, WhatIsLeftOutIsTold) {
    const ForeignLog csv = read_csv_log("step,loss,host\n1,3,a\nabc,2.5,a\n1e300,2,a\n4,x,a\n5,2");
    EXPECT_THAT(steps_of(csv, "loss"), ElementsAre(std::pair(1, 3)));
    EXPECT_THAT(csv.notes,
                ElementsAre("row 5, the last, is cut short and left out",
                            AllOf(HasSubstr("2 rows without a step"), HasSubstr("row 2 (\"abc\")")),
                            AllOf(HasSubstr("1 places of loss"), HasSubstr("row 4 (\"x\")"))));
    EXPECT_THAT(read_csv_log("stp,loss\n100,3\n").notes,
                ElementsAre(HasSubstr("rows are counted")));
    EXPECT_THROW(read_csv_log("step,loss\n-1,3\n0.5,2\n"), UserError) << "no row has a step";
    ForeignLog again = read_csv_log("step,loss\n1,4\n1,3\n3,2\n2,2.5\n");
    EXPECT_THAT(steps_of(again, "loss"), ElementsAre(std::pair(1, 3), std::pair(2, 2.5)));
    EXPECT_EQ(again.overtaken, 2);
}

TEST(TextLogs, JsonLinesOfADivergedAndAKilledRun) {
    const ForeignLog log = read_jsonl_log(
        "{\"step\": 1, \"loss\": 3, \"say\": \"NaN, \\\"Infinity\"}\n"
        "{\"step\": 2, \"at\": \"C:\\\\\", \"loss\": NaN, \"norm\": Infinity}\n"
        "{\"step\": 3, \"loss\": \"NaN\", \"norm\": -Infinity}\n{\"step\": 4, \"lo");
    ASSERT_EQ(log.scalars.at("loss").size(), 3u);
    EXPECT_TRUE(std::isnan(log.scalars.at("loss")[1].value));
    EXPECT_TRUE(std::isnan(log.scalars.at("loss")[2].value));
    EXPECT_THAT(steps_of(log, "norm"),
                ElementsAre(std::pair(2, HUGE_VAL), std::pair(3, -HUGE_VAL)));
    EXPECT_THAT(log.scalars, UnorderedElementsAre(Key("loss"), Key("norm")));
    EXPECT_THAT(log.notes, ElementsAre(HasSubstr("line 4, the last, is cut short")));
    EXPECT_THROW(read_jsonl_log("{\"loss\": 1}\n{\"lo\n{\"loss\": 1}\n"), UserError);
}

TEST(TextLogs, JsonLinesOfWeightsAndBiases) {
    const std::string text =
        "{\"_step\": 4, \"_timestamp\": 1.7e9, \"loss\": 3.5, \"note\": \"x\"}\n"
        "{\"_step\": 8, \"loss\": 3.25}\n";
    const ForeignLog log = recognise_text_log(text)->read(text);
    EXPECT_THAT(steps_of(log, "loss"), ElementsAre(std::pair(4, 3.5), std::pair(8, 3.25)));
    EXPECT_THAT(log.scalars, UnorderedElementsAre(Key("loss")));
    EXPECT_THROW(read_jsonl_log("[1]\n"), UserError);
    EXPECT_FALSE(recognise_text_log("nothing of that kind\n"));
}

// "line 1 is no JSON object", and on one line only what stands outside the list was seen.
TEST(TextLogs, TheStateOfHuggingFacesTrainer) {
    const std::string state =
        "{\n  \"best_metric\": null,\n  \"epoch\": 0.2,\n  \"global_step\": 20,\n"
        "  \"log_history\": [\n"
        "    {\"epoch\": 0.1, \"grad_norm\": NaN, \"loss\": 3.5, \"step\": 10},\n"
        "    {\"epoch\": 0.1, \"eval_loss\": 3.25, \"step\": 10},\n"
        "    {\"epoch\": 0.2, \"loss\": 3.0, \"step\": 20}\n  ],\n  \"max_steps\": 20\n}\n";
    std::string on_one_line = state;
    std::erase(on_one_line, '\n');
    for (const std::string& text : {state, on_one_line}) {
        ASSERT_EQ(recognise_text_log(text)->name, "trainer-state");
        const ForeignLog log = recognise_text_log(text)->read(text);
        EXPECT_THAT(steps_of(log, "loss"), ElementsAre(std::pair(10, 3.5), std::pair(20, 3.0)));
        EXPECT_THAT(steps_of(log, "eval_loss"), ElementsAre(std::pair(10, 3.25)));
        EXPECT_TRUE(std::isnan(log.scalars.at("grad_norm")[0].value));
        EXPECT_THAT(steps_of(log, "epoch"), ElementsAre(std::pair(10, 0.1), std::pair(20, 0.2)));
        EXPECT_EQ(log.overtaken, 0) << "both rows of step 10 have its epoch";
        EXPECT_THAT(log.notes, IsEmpty());
    }
    EXPECT_THROW(read_trainer_state("{\"log_history\": 3}"), UserError);
    EXPECT_THROW(read_trainer_state("{\"log_history\": [3]}"), UserError);
    EXPECT_EQ(recognise_text_log("{\"log_history\": 3}")->name, "jsonl");
}

}  // namespace
}  // namespace headroom
