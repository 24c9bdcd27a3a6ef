#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/probe/attention_record.h"
#include "core/probe/heads_probe.h"
#include "core/probe/linear_probe_file.h"
#include "tests/support/command.h"
#include "tests/support/read_head_scores.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

/// A run of two layers and two heads that trained for four steps, with two checkpoints.
class ProbeCommand : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        folder_ = new TemporaryFolder;
        write_plainly(*folder_ / "job.json", R"({
            "name": "small run",
            "model": {"n_layer": 2, "n_head": 2, "d_model": 16, "d_ff": 16, "block_size": 32},
            "data": {"train": "task:grammar", "val": "split:0.1", "tokenizer": "byte"},
            "train": {"steps": 4, "batch_size": 2, "seq_len": 24, "warmup_steps": 1,
                      "eval_every": 4, "eval_batches": 1, "checkpoint_every": 2}})");
        const Outcome outcome =
            headroom({"train", "--job", (*folder_ / "job.json").string(), "--out", run().string()});
        ASSERT_EQ(outcome.status, 0) << outcome.err;
    }
    static void TearDownTestSuite() {
        delete folder_;
        folder_ = nullptr;
    }

    static std::filesystem::path run() { return *folder_ / "run"; }
    static std::string checkpoint() {
        return (run() / "checkpoints" / "step-00000002.safetensors").string();
    }
    static std::string out() { return (*folder_ / "out.h5").string(); }
    static Outcome probe(std::vector<std::string> args) {
        args.insert(args.begin(), "probe");
        return headroom(args);
    }

    static TemporaryFolder* folder_;
};

TemporaryFolder* ProbeCommand::folder_ = nullptr;

TEST_F(ProbeCommand, ARunIsProbedOnItsOwnValidationData) {
    const Outcome outcome = probe({"heads", run().string(), "--batches", "2", "--batch-size", "3"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const ArrayFile file(run() / "probes" / "heads-step-00000004.h5");
    const ProbeHeader header = read_probe_header(file);
    EXPECT_EQ(header.run, "small run");
    EXPECT_EQ(header.step, 4);
    EXPECT_EQ(header.text, "task:grammar, split:0.1");
    const ProbeTokens tokens = read_probe_tokens(file);
    EXPECT_EQ(tokens.batch_size, 6);
    EXPECT_EQ(tokens.seq_len, 24);
    EXPECT_EQ(tokens.pieces.size(), 6u * 24);
    EXPECT_EQ(read_head_scores(file).seq_len, 24);
}

TEST_F(ProbeCommand, WhatWasMeasuredOnOtherTokensIsNotReplacedUnsaid) {
    ASSERT_EQ(probe({"heads", run().string()}).status, 0);
    EXPECT_EQ(probe({"heads", run().string()}).err.find("note:"), std::string::npos);
    const Outcome outcome = probe({"heads", run().string(), "--repeat", "5"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("heads-step-00000004.h5 was measured on task:grammar"));
    EXPECT_THAT(outcome.err, HasSubstr("now on repeat:5"));
}

TEST_F(ProbeCommand, ARunWhoseJobWasTakenAwayIsProbedAsItsLogHasIt) {
    const std::filesystem::path copy = *folder_ / "without-job";
    std::filesystem::copy(run(), copy, std::filesystem::copy_options::recursive);
    ASSERT_TRUE(std::filesystem::remove(copy / "job.json"));
    const Outcome outcome = probe({"heads", copy.string(), "--out", out()});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const ProbeHeader header = read_probe_header(ArrayFile(out()));
    EXPECT_EQ(header.run, "small run");
    EXPECT_EQ(header.text, "task:grammar, split:0.1");
}

TEST_F(ProbeCommand, StreamsHowFarItIsAndThenTheResult) {
    const Outcome outcome = probe(
        {"wiring", run().string(), "--edit", "values 1 read 0", "--batches", "2", "--stream"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    std::istringstream lines(outcome.out);
    std::string line, last;
    double share = -1;
    while (std::getline(lines, line)) {
        if (!last.empty()) {
            const auto told = json::parse(last).at("share").get<double>();
            EXPECT_GE(told, share);
            EXPECT_LE(told, 1);
            share = told;
        }
        last = line;
    }
    EXPECT_GE(share, 0) << "nothing told before the result";
    const json result = json::parse(last).at("result");
    EXPECT_NEAR(result.at("difference").get<double>(),
                result.at("rewired").get<double>() - result.at("loss").get<double>(), 1e-12);
}

TEST_F(ProbeCommand, BatchesOfAnySizeGiveTheSameScores) {
    const auto entropy = [&](const char* batches, const char* batch_size) {
        const Outcome repeated =
            probe({"heads", run().string(), "--batches", batches, "--batch-size", batch_size,
                   "--repeat", "10", "--precision", "float64", "--out", out(), "--json"});
        return json::parse(repeated.out).at("heads").at("entropy").at(1).at(0).get<double>();
    };
    EXPECT_NEAR(entropy("2", "3"), entropy("3", "2"), 1e-12);
}

TEST_F(ProbeCommand, LinearProbesAreTrainedOnTheRunsOwnData) {
    const Outcome outcome =
        probe({"linear", run().string(), "--steps", "3", "--rates", "1e-2,1e-3", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const ArrayFile file(run() / "probes" / "linear-step-00000004.h5");
    const LinearProbeResult result = read_linear_probe(file);
    EXPECT_EQ(result.layers, (std::vector<int32_t>{0, 1}));
    EXPECT_EQ(result.rates, (std::vector<double>{1e-2, 1e-3}));
    EXPECT_EQ(json::parse(outcome.out).at("val_loss").get<std::vector<double>>(), result.val_loss);
    // The first of the batches that it is measured on, two sequences each, and not four others.
    EXPECT_EQ(read_probe_tokens(file).seq_len, 24);
    EXPECT_EQ(read_probe_tokens(file).batch_size, 2);
    EXPECT_EQ(json::parse(outcome.out).at("sequences"), 2);
    const Outcome more = probe({"linear", run().string(), "--steps", "1", "--rates", "1e-3",
                                "--eval-batches", "3", "--out", out(), "--json"});
    EXPECT_EQ(json::parse(more.out).at("sequences"), 6);
}

TEST_F(ProbeCommand, LinearProbesRefuseWhatTheyCannotDo) {
    const auto refused = [&](std::vector<std::string> more, const char* part) {
        more.insert(more.begin(), {"linear", run().string(), "--steps", "1"});
        const Outcome outcome = probe(more);
        EXPECT_EQ(outcome.status, 2) << part;
        EXPECT_THAT(outcome.err, HasSubstr(part));
    };
    refused({"--tokens", "1,2"}, "unexpected argument \"--tokens\"");
    refused({"--layers", "2"}, "the model has no layer 2; layers are 0 to 1");
    refused({"--rates", "0"}, "0 is no learning rate");
    refused({"--fit", "1,1"}, "--fit 1,1 spans no layers");
    refused({"--fit", "0,2"}, "--fit 0,2: the model's layers are 0 to 1");
}

TEST_F(ProbeCommand, RepeatedTokensComeTwice) {
    ASSERT_EQ(probe({"heads", run().string(), "--repeat", "9", "--out", out()}).status, 0);
    const ProbeTokens tokens = read_probe_tokens(ArrayFile(out()));
    EXPECT_EQ(tokens.seq_len, 18);
    for (size_t b = 0; b < 8; ++b)
        for (size_t i = 0; i < 9; ++i)
            EXPECT_EQ(tokens.ids[b * 18 + i], tokens.ids[b * 18 + 9 + i]);
    EXPECT_NE(tokens.ids[0], tokens.ids[18]);
}

TEST_F(ProbeCommand, APromptIsCutByTheCheckpointsTokenizer) {
    const Outcome outcome = probe({"attention", "--checkpoint", checkpoint(), "--prompt",
                                   "a \xc3\xa4\n", "--out", out(), "--logits", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json report = json::parse(outcome.out);
    EXPECT_EQ(report.at("step"), 2);
    EXPECT_EQ(report.at("bytes"), std::filesystem::file_size(out()));
    const AttentionRecord record(out());
    EXPECT_TRUE(record.has_logits());
    EXPECT_EQ(record.header().text, "prompt");
    EXPECT_THAT(record.tokens().pieces, ElementsAre("a", " ", "\\xc3", "\\xa4", "\n"));
    const std::vector<float> map = record.read_box(1, 1, 1, record.whole());
    for (int64_t i = 0; i < 5; ++i) {
        float sum = 0;
        for (int64_t j = 0; j <= i; ++j) sum += map[static_cast<size_t>(i * 5 + j)];
        EXPECT_NEAR(sum, 1, 1e-6);
    }
}

TEST_F(ProbeCommand, DoublePrecisionMakesADoubleRecord) {
    ASSERT_EQ(probe({"attention", run().string(), "--step", "2", "--tokens", "1,2,3", "--precision",
                     "float64"})
                  .status,
              0);
    const ArrayFile file(run() / "probes" / "attention-step-00000002.h5");
    EXPECT_EQ(file.type("/attention/weights").dtype, DType::kF64);
    EXPECT_FALSE(file.has("/attention/logits"));
}

TEST_F(ProbeCommand, WhatDoesNotFitIsRefusedInOneLine) {
    const std::string run_dir = run().string();
    const auto refused = [&](const std::vector<std::string>& args, const std::string& part) {
        expect_one_error_line(probe(args), 2, part);
    };
    refused({"heads"}, "what to probe");
    refused({"heads", run_dir, "--checkpoint", checkpoint()}, "leave one out");
    refused({"heads", run_dir, "--step", "3"}, "use one of 2, 4");
    refused({"heads", (run() / "checkpoints").string()}, "neither job.json nor log.h5");
    refused({"heads", run_dir, "--repeat", "5", "--data", "task:grammar"}, "excludes");
    refused({"heads", "--checkpoint", checkpoint(), "--tokens", "1"}, "--out");
    refused({"heads", "--checkpoint", checkpoint(), "--out", out()}, "which tokens");
    refused({"heads", "--checkpoint", checkpoint(), "--out", checkpoint(), "--tokens", "1"},
            "source itself");
    refused({"heads", "--checkpoint", checkpoint(), "--step", "2", "--out", out()}, "--step");
    refused({"heads", run_dir, "--tokens", "1,999"}, "999");
    refused({"heads", run_dir, "--tokens", "1,,2"}, "not a token id");
    refused({"heads", run_dir, "--repeat", "17"}, "34 tokens");
    refused({"heads", run_dir, "--seq-len", "33"}, "33 tokens");
    refused({"heads", run_dir, "--prompt", "a", "--tokens", "1"}, "excludes");
    refused({"heads", run_dir, "--prompt", ""}, "--prompt");
    refused({"attention", run_dir, "--batches", "2"}, "--batches");
    refused({"heads", run_dir, "--tokens", "1,2", "--batches", "2"}, "excludes");
    refused({"heads", run_dir, "--seed", "2"}, "--seed requires --repeat");
    refused({"heads", run_dir, "--json", "--stream"}, "excludes");
    refused({"sharing", run_dir, "--layers", "9"}, "--layers 9 is more than can share");
    refused({"atention", run_dir}, "atention");
}

TEST_F(ProbeCommand, ItsBenchmarkReportsSizesAndTimes) {
    const Outcome outcome =
        headroom({"bench", "probe", "--preset", "tiny", "--seq-len", "128", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json report = json::parse(outcome.out);
    EXPECT_GT(
        report.at("record_bytes").get<int64_t>(),
        report.at("n_layer").get<int64_t>() * report.at("n_head").get<int64_t>() * 128 * 128 * 4);
    for (const char* time : {"write_seconds", "open_ms", "head_ms", "slowest_head_ms"})
        EXPECT_GT(report.at(time).get<double>(), 0.0) << time;
    expect_one_error_line(headroom({"bench", "probe", "--preset", "tiny", "--seq-len", "128",
                                    "--set", "model.block_size=64"}),
                          2, "block_size of 64");
}

}  // namespace
}  // namespace headroom
