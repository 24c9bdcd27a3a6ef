#include <atomic>
#include <cmath>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/log/named_series.h"
#include "core/log/run_log_reader.h"
#include "core/log/run_log_writer.h"
#include "tests/core/log/log_rows.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/watched_child.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(RunLog, GivesBackWhatWasWritten) {
    const TemporaryFolder folder;
    auto writer = RunLogWriter::create(folder / "log.h5", attributes_for_test());
    append_steps(writer, 1, 3000);
    writer.set_state(RunState::kFinished);
    writer.close();

    const RunSeries series = read_run_log(folder / "log.h5");
    expect_steps(series, 3000);
    EXPECT_EQ(series.state, RunState::kFinished);
    EXPECT_GT(series.heartbeat, 1.7e9);
    EXPECT_EQ(series.attributes.job_json, attributes_for_test().job_json);
    EXPECT_EQ(series.attributes.started, attributes_for_test().started);
    EXPECT_FALSE(std::filesystem::exists(folder / "log.h5.tmp"));
}

TEST(RunLog, KeepsAJobFarLargerThanAnObjectHeader) {
    const TemporaryFolder folder;
    RunLogAttributes attributes = attributes_for_test();
    attributes.job_json = std::string(300000, 'j') + "\xc3\xa4";
    RunLogWriter::create(folder / "log.h5", attributes).close();
    EXPECT_EQ(read_run_log(folder / "log.h5").attributes.job_json, attributes.job_json);
}

TEST(RunLog, AllowsAnEmptyAttribute) {
    const TemporaryFolder folder;
    RunLogAttributes attributes = attributes_for_test();
    attributes.device.clear();
    RunLogWriter::create(folder / "log.h5", attributes).close();
    EXPECT_EQ(read_run_log(folder / "log.h5").attributes.device, "");
}

TEST(RunLog, KeepsANanLossAsItIs) {
    const TemporaryFolder folder;
    auto writer = RunLogWriter::create(folder / "log.h5", attributes_for_test());
    TrainRow row = train_row(1);
    row.loss = std::nanf("");
    writer.append_train(row);
    writer.close();
    EXPECT_TRUE(std::isnan(read_run_log(folder / "log.h5").train.loss[0]));
}

TEST(RunLogWriter, RefusesToReplaceALog) {
    const TemporaryFolder folder;
    RunLogWriter::create(folder / "log.h5", attributes_for_test()).close();
    EXPECT_THROW(RunLogWriter::create(folder / "log.h5", attributes_for_test()), UserError);
}

TEST(RunLogWriter, NamesAFolderThatIsMissing) {
    const TemporaryFolder folder;
    try {
        RunLogWriter::create(folder / "none" / "log.h5", attributes_for_test());
        FAIL() << "no error";
    } catch (const EnvironmentError& error) {
        EXPECT_THAT(error.what(), HasSubstr("none/log.h5: No such file or directory"));
    }
}

TEST(RunLogReader, FollowsAWriterRowByRow) {
    const TemporaryFolder folder;
    auto writer = RunLogWriter::create(folder / "log.h5", attributes_for_test());
    auto reader = RunLogReader::open(folder / "log.h5");
    RunSeries series;
    EXPECT_TRUE(reader.poll(series));
    EXPECT_EQ(series.train.step.size(), 0u);
    for (int64_t step = 1; step <= 40; ++step) {
        append_steps(writer, step, step);
        writer.sync();
        EXPECT_TRUE(reader.poll(series));
        expect_steps(series, step);
    }
}

TEST(RunLogReader, StartsAnewWhenAResumedRunReplacesTheLog) {
    const TemporaryFolder folder;
    auto reader_of = [&] { return RunLogReader::open(folder / "log.h5"); };
    auto writer = RunLogWriter::create(folder / "log.h5", attributes_for_test());
    append_steps(writer, 1, 100);
    writer.close();
    auto reader = reader_of();
    RunSeries series;
    reader.poll(series);
    const int64_t generation = series.generation;

    auto resumed = RunLogWriter::resume(folder / "log.h5", 60);
    EXPECT_TRUE(reader.poll(series));
    EXPECT_NE(series.generation, generation);
    expect_steps(series, 60);
    append_steps(resumed, 61, 70);
    resumed.sync();
    reader.poll(series);
    expect_steps(series, 70);
}

TEST(RunLogReader, SharesALogWithOtherReadersOfTheProcess) {
    const TemporaryFolder folder;
    const fs::path path = folder / "log.h5";
    SharedCounter asked, written;
    const pid_t pid = start_child([&] {
        auto writer = RunLogWriter::create(path, attributes_for_test());
        for (int64_t step = 1; step <= 3000; ++step) {
            append_steps(writer, step, step);
            if (step % 300 != 0) continue;
            writer.set_state(RunState::kRunning);
            written.set(step);
            while (asked.get() < step) std::this_thread::yield();
        }
        writer.close();
        return 0;
    });
    RunSeries first, second;
    while (written.get() < 300) std::this_thread::yield();
    auto reader = RunLogReader::open(path), other = RunLogReader::open(path);
    for (int64_t step = 300; step <= 3000; step += 300) {
        while (written.get() < step) std::this_thread::yield();
        reader.poll(first);
        expect_steps(first, step);
        EXPECT_EQ(RunLogReader::open(path).tail().step, step);
        other.poll(second);
        expect_steps(second, step);
        asked.set(step);
    }
    EXPECT_EQ(wait_for_child(pid), 0);
}

TEST(RunLogReader, WorksInSeveralThreadsAtOnce) {
    const TemporaryFolder folder;
    auto writer = RunLogWriter::create(folder / "log.h5", attributes_for_test());
    append_steps(writer, 1, 2000);
    writer.close();
    std::atomic<int> right{0};
    const auto read_often = [&] {
        for (int i = 0; i < 20; ++i) {
            const RunSeries series = read_run_log(folder / "log.h5");
            if (series.train.step.size() == 2000 && rows_are_right(series)) ++right;
        }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(read_often);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right, 80);
}

TEST(RunLogReader, TellsTheEndOfALog) {
    const TemporaryFolder folder;
    auto writer = RunLogWriter::create(folder / "log.h5", attributes_for_test());
    auto reader = RunLogReader::open(folder / "log.h5");
    EXPECT_EQ(reader.tail().step, 0);
    EXPECT_TRUE(std::isnan(reader.tail().loss));
    append_steps(writer, 1, 500);
    writer.set_state(RunState::kPaused);
    const RunTail tail = reader.tail();
    EXPECT_EQ(tail.step, 500);
    EXPECT_EQ(tail.state, RunState::kPaused);
    EXPECT_EQ(tail.loss, train_row(500).loss);
    EXPECT_EQ(tail.val_loss, val_row(500).loss);
    EXPECT_NEAR(tail.seconds_per_step, 0.25, 1e-9);
    EXPECT_NEAR(tail.tokens_per_second, 4096 / 0.25, 1e-6);
}

// Its last steps, beside another run, were taken for the speed of a run that had ended.
TEST(RunLogReader, TellsTheSpeedNowAndAtTheEndThatOfAllSteps) {
    const TemporaryFolder folder;
    auto writer = RunLogWriter::create(folder / "log.h5", attributes_for_test());
    double seconds = 0;
    for (int64_t step = 1; step <= 200; ++step) {
        seconds += step <= 150 ? 0.25 : 1;
        TrainRow row = train_row(step);
        row.seconds = seconds;
        writer.append_train(row);
    }
    writer.set_state(RunState::kRunning);
    auto reader = RunLogReader::open(folder / "log.h5");
    EXPECT_NEAR(reader.tail().tokens_per_second, 4096, 1e-6);
    writer.set_state(RunState::kFinished);
    writer.close();
    EXPECT_NEAR(RunLogReader::open(folder / "log.h5").tail().tokens_per_second, 4096 / 0.25, 1e-6);
}

TEST(RunLogWriter, ResumedLogEqualsTheUninterruptedOne) {
    const TemporaryFolder folder;
    auto writer = RunLogWriter::create(folder / "log.h5", attributes_for_test());
    append_steps(writer, 1, 1500);
    writer.close();
    auto resumed = RunLogWriter::resume(folder / "log.h5", 1200);
    EXPECT_EQ(resumed.seconds_at_start(), train_row(1200).seconds);
    EXPECT_EQ(resumed.tokens_at_start(), train_row(1200).tokens);
    append_steps(resumed, 1201, 2000);
    resumed.close();
    expect_steps(read_run_log(folder / "log.h5"), 2000);
}

TEST(RunLogWriter, ResumesFromTheBeginning) {
    const TemporaryFolder folder;
    auto writer = RunLogWriter::create(folder / "log.h5", attributes_for_test());
    append_steps(writer, 1, 10);
    writer.close();
    auto resumed = RunLogWriter::resume(folder / "log.h5", 0);
    EXPECT_EQ(resumed.seconds_at_start(), 0.0);
    append_steps(resumed, 1, 3);
    resumed.close();
    expect_steps(read_run_log(folder / "log.h5"), 3);
}

TEST(RunLogWriter, RefusesToResumeBeyondTheLog) {
    const TemporaryFolder folder;
    auto writer = RunLogWriter::create(folder / "log.h5", attributes_for_test());
    append_steps(writer, 1, 10);
    writer.close();
    EXPECT_THROW(RunLogWriter::resume(folder / "log.h5", 11), UserError);
    EXPECT_THROW(RunLogWriter::resume(folder / "none.h5", 0), UserError);
    expect_steps(read_run_log(folder / "log.h5"), 10);
}

const std::vector<ScalarInfo> kScalars = {{"accuracy", "", "Share of right answers"},
                                          {"router-balance", "nats", "Entropy of the router"}};

TEST(RunLogScalars, HaveNamesUnitsAndHelp) {
    const TemporaryFolder folder;
    auto writer = RunLogWriter::create(folder / "log.h5", attributes_for_test(), kScalars);
    append_steps(writer, 1, 20);
    writer.append_scalar("accuracy", 10, 0.25f);
    writer.append_scalar("accuracy", 20, 0.5f);
    writer.close();
    const RunSeries series = read_run_log(folder / "log.h5");
    expect_steps(series, 20);
    ASSERT_EQ(series.scalars.size(), 2u);
    EXPECT_THAT(series.scalars.at("accuracy").step, ElementsAre(10, 20));
    EXPECT_THAT(series.scalars.at("accuracy").value, ElementsAre(0.25f, 0.5f));
    EXPECT_EQ(series.scalars.at("accuracy").help, "Share of right answers");
    EXPECT_EQ(series.scalars.at("router-balance").unit, "nats");
    EXPECT_TRUE(series.scalars.at("router-balance").value.empty());
}

TEST(RunLogScalars, TheLastAccuracyStandsInTheTail) {
    const TemporaryFolder folder;
    const std::vector<ScalarInfo> told = {{kValAccuracy, "", "Share of images told rightly"}};
    auto writer = RunLogWriter::create(folder / "log.h5", attributes_for_test(), told);
    auto reader = RunLogReader::open(folder / "log.h5");
    EXPECT_TRUE(std::isnan(reader.tail().val_accuracy));
    append_steps(writer, 1, 20);
    for (int64_t step = 1; step <= 20; ++step)
        writer.append_scalar(kValAccuracy, step, static_cast<float>(step) / 32);
    writer.sync();
    EXPECT_EQ(reader.tail().val_accuracy, 0.625);
    EXPECT_EQ(tail_of(read_run_log(folder / "log.h5")).val_accuracy, 0.625);
    auto plain = RunLogWriter::create(folder / "plain.h5", attributes_for_test());
    append_steps(plain, 1, 20);
    EXPECT_TRUE(std::isnan(RunLogReader::open(folder / "plain.h5").tail().val_accuracy));
}

TEST(RunLogScalars, AreFollowedWhileTheyGrow) {
    const TemporaryFolder folder;
    auto writer = RunLogWriter::create(folder / "log.h5", attributes_for_test(), kScalars);
    auto reader = RunLogReader::open(folder / "log.h5");
    RunSeries series;
    for (int64_t step = 1; step <= 3; ++step) {
        writer.append_scalar("accuracy", step, static_cast<float>(step));
        writer.sync();
        reader.poll(series);
        EXPECT_EQ(series.scalars.at("accuracy").step.size(), static_cast<size_t>(step));
    }
}

TEST(RunLogScalars, OfALaterStepAreDroppedOnResumingAndNewOnesCanCome) {
    const TemporaryFolder folder;
    {
        auto writer = RunLogWriter::create(folder / "log.h5", attributes_for_test(),
                                           std::span(kScalars).first(1));
        append_steps(writer, 1, 20);
        writer.append_scalar("accuracy", 10, 0.25f);
        writer.append_scalar("accuracy", 20, 0.5f);
        writer.close();
    }
    auto writer = RunLogWriter::resume(folder / "log.h5", 15, {}, std::span(kScalars).last(1));
    writer.append_scalar("router-balance", 16, 1.5f);
    writer.close();
    const RunSeries series = read_run_log(folder / "log.h5");
    EXPECT_THAT(series.scalars.at("accuracy").step, ElementsAre(10));
    EXPECT_THAT(series.scalars.at("router-balance").value, ElementsAre(1.5f));
}

/// An imported log may have rows every ten steps and a scalar in between.
TEST(RunLogScalars, BetweenRowsHaveTheTokensOfTheRowBefore) {
    RunSeries log;
    for (const int64_t step : {10, 20, 30}) {
        log.train.step.push_back(step);
        log.train.tokens.push_back(100 * step);
    }
    ScalarSeries& scalar = log.scalars["accuracy"];
    for (const int64_t step : {5, 10, 15, 29, 45, 12}) {
        scalar.step.push_back(step);
        scalar.value.push_back(0.5f);
    }
    const auto series = find_series(log, "scalars/accuracy");
    ASSERT_TRUE(series.has_value());
    std::vector<int64_t> tokens;
    for (size_t row = 0; row < series->size; ++row) tokens.push_back(series->tokens(row));
    EXPECT_THAT(tokens, ElementsAre(0, 1000, 1000, 2000, 3000, 1000));
    // Evaluations go on behind the training losses, or are all that there is.
    for (const int64_t step : {25, 40}) {
        log.val.step.push_back(step);
        log.val.tokens.push_back(100 * step);
    }
    EXPECT_EQ(find_series(log, "scalars/accuracy")->tokens(3), 2500);
    EXPECT_EQ(find_series(log, "scalars/accuracy")->tokens(4), 4000);
    log.train = {};
    EXPECT_EQ(find_series(log, "scalars/accuracy")->tokens(2), 0);
    EXPECT_EQ(find_series(log, "scalars/accuracy")->tokens(4), 4000);
}

TEST(RunLogScalars, AreSeriesByTheirNames) {
    const TemporaryFolder folder;
    auto writer = RunLogWriter::create(folder / "log.h5", attributes_for_test(), kScalars);
    append_steps(writer, 1, 20);
    writer.append_scalar("accuracy", 0, 0.125f);
    writer.append_scalar("accuracy", 10, 0.25f);
    writer.close();
    const RunSeries log = read_run_log(folder / "log.h5");
    const auto accuracy = find_series(log, "scalars/accuracy");
    ASSERT_TRUE(accuracy.has_value());
    EXPECT_EQ(accuracy->value(1), 0.25);
    EXPECT_EQ(accuracy->step(1), 10);
    EXPECT_EQ(accuracy->tokens(0), 0);
    EXPECT_EQ(accuracy->tokens(1), train_row(10).tokens);
    const auto memory = find_series(log, "system/host_bytes");
    EXPECT_EQ(memory->unit, "byte");
    EXPECT_EQ(memory->step(1), 10) << "the step that was being done";
    EXPECT_FALSE(find_series(log, "train/step").has_value()) << "an index is no series";
    EXPECT_FALSE(find_series(log, "scalars/none").has_value());
    EXPECT_THAT(list_series(log), testing::Contains(SeriesName{"scalars/router-balance", "nats"}));
}

TEST(RunLogScalars, AreRefusedWhereNoReaderWouldTakeThem) {
    const TemporaryFolder folder;
    std::vector<ScalarInfo> many;
    for (size_t i = 0; i < kMostScalars; ++i) many.push_back({"s" + std::to_string(i), "", ""});
    many.back().help = std::string(kMostScalarText, 'x');
    RunLogWriter::create(folder / "most.h5", attributes_for_test(), many).close();
    EXPECT_EQ(read_run_log(folder / "most.h5").scalars.size(), kMostScalars);
    const std::vector<ScalarInfo> more = {{"one-more", "", ""}};
    EXPECT_THROW(RunLogWriter::resume(folder / "most.h5", 0, {}, more), UserError);
    many.push_back(more.front());
    EXPECT_THROW(RunLogWriter::create(folder / "log.h5", attributes_for_test(), many), UserError);
    RunLogAttributes attributes = attributes_for_test();
    attributes.job_json = std::string((size_t{16} << 20) + 1, ' ');
    EXPECT_THROW(RunLogWriter::create(folder / "log.h5", attributes), UserError);
    EXPECT_FALSE(std::filesystem::exists(folder / "log.h5"));
}

TEST(NamedSeries, WhatIsNanThroughoutIsNoneButForTheLosses) {
    const float nan = std::nanf("");
    RunSeries log;
    log.train.step = {1, 2};
    log.train.tokens = {10, 20};
    log.train.loss = {nan, nan};
    log.train.lr = {nan, 0.5f};
    log.train.grad_norm = {nan, nan};
    log.scalars["none"].value = {nan};
    log.scalars["begun"];
    std::vector<std::string> names;
    for (const SeriesName& series : list_series(log)) names.push_back(series.name);
    for (const char* name : {"train/loss", "train/lr", "scalars/begun"}) {
        EXPECT_THAT(names, testing::Contains(name));
        EXPECT_TRUE(find_series(log, name)) << name;
    }
    for (const char* name : {"train/grad_norm", "scalars/none"}) {
        EXPECT_THAT(names, testing::Not(testing::Contains(name)));
        EXPECT_FALSE(find_series(log, name)) << name;
    }
    EXPECT_THAT(series_of_every_log(), testing::Contains("train/grad_norm"));
}

TEST(RunLogScalars, NamesArePlain) {
    for (const char* name : {"a", "router-balance", "top_1.5"}) EXPECT_TRUE(is_scalar_name(name));
    for (const char* name : {"", ".", ".x", "a/b", "a b", "ä"}) EXPECT_FALSE(is_scalar_name(name));
    EXPECT_FALSE(is_scalar_name(std::string(65, 'a')));
}

TEST(RunLogWriter, KeepsTheStartWhenAttributesChange) {
    const TemporaryFolder folder;
    RunLogWriter::create(folder / "log.h5", attributes_for_test()).close();
    RunLogAttributes other = attributes_for_test();
    other.host = "elsewhere";
    other.started = "2031-01-01T00:00:00Z";
    RunLogWriter::resume(folder / "log.h5", 0, other).close();
    const RunLogAttributes kept = read_run_log(folder / "log.h5").attributes;
    EXPECT_EQ(kept.host, "elsewhere");
    EXPECT_EQ(kept.started, attributes_for_test().started);
}

TEST(NamedSeries, OfAccuraciesMoreIsBetter) {
    for (const char* name : {"scalars/val_accuracy", "eval/acc", "piqa.acc_norm", "accuracy"})
        EXPECT_TRUE(more_is_better(name)) << name;
    for (const char* name : {"val/loss", "train/grad_norm", "perplexity", "scalars/inaccuracy"})
        EXPECT_FALSE(more_is_better(name)) << name;
}

}  // namespace
}  // namespace headroom
