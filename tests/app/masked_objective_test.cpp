// An encoder as a user meets it: trained on masked tokens, evaluated, probed, refused where it
// cannot.
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/log/run_log_reader.h"
#include "core/study/study.h"
#include "tests/support/command.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

/// A run of two layers that trained for four steps on masked bytes.
class MaskedObjective : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        folder_ = new TemporaryFolder;
        write_plainly(*folder_ / "job.json", R"({
            "name": "encoder",
            "model": {"n_layer": 2, "n_head": 2, "d_model": 16, "d_ff": 16, "block_size": 32,
                      "causal": false},
            "data": {"train": "task:grammar", "val": "split:0.1", "tokenizer": "byte"},
            "train": {"objective": "masked", "mask_rate": 0.25, "mask_span": 2,
                      "steps": 4, "batch_size": 2, "grad_accum": 3, "seq_len": 24,
                      "warmup_steps": 1, "eval_every": 4, "eval_batches": 3,
                      "checkpoint_every": 2}})");
        trained_ = new Outcome(headroom({"train", "--job", job(), "--out", run().string()}));
        ASSERT_EQ(trained_->status, 0) << trained_->err;
    }
    static void TearDownTestSuite() {
        delete trained_;
        delete folder_;
        trained_ = nullptr;
        folder_ = nullptr;
    }

    static std::string job() { return (*folder_ / "job.json").string(); }
    static std::filesystem::path run() { return *folder_ / "run"; }
    static std::string checkpoint() {
        return (run() / "checkpoints" / "step-00000004.safetensors").string();
    }
    static Outcome evaluate(const std::string& data) {
        return headroom({"eval", "--checkpoint", checkpoint(), "--data", data, "--batches", "3",
                         "--batch-size", "2", "--seq-len", "24", "--by-position", "--json"});
    }

    static TemporaryFolder* folder_;
    static Outcome* trained_;
};

TemporaryFolder* MaskedObjective::folder_ = nullptr;
Outcome* MaskedObjective::trained_ = nullptr;

TEST_F(MaskedObjective, TrainingSaysWhatIsMaskedAndWarnsOfNothing) {
    EXPECT_THAT(trained_->err, HasSubstr("25 % masked in stretches of 2"));
    EXPECT_THAT(trained_->err, Not(HasSubstr("warning")));
}

TEST_F(MaskedObjective, TheMaskIsOneTokenMore) {
    const Outcome described = headroom({"describe", "--checkpoint", checkpoint(), "--json"});
    ASSERT_EQ(described.status, 0) << described.err;
    EXPECT_EQ(json::parse(described.out).at("model").at("vocab_size"), 257);
    const Outcome of_job = headroom({"describe", "--job", job(), "--json"});
    ASSERT_EQ(of_job.status, 0) << of_job.err;
    EXPECT_EQ(json::parse(of_job.out).at("params_total"),
              json::parse(described.out).at("params_total"));
}

TEST_F(MaskedObjective, EvalMeasuresWhatTheRunDid) {
    const Outcome outcome = evaluate("task:grammar");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json result = json::parse(outcome.out);
    const RunSeries log = read_run_log(run() / "log.h5");
    ASSERT_EQ(log.val.loss.size(), 1u);
    EXPECT_NEAR(result.at("loss").get<double>(), log.val.loss[0], 1e-5);
    EXPECT_EQ(result.at("tokens"), 3 * 2 * 24);
    int64_t targets = 0;
    double nats = 0;
    for (const json& row : result.at("positions")) {
        const auto count = row.at("targets").get<int64_t>();
        targets += count;
        nats += static_cast<double>(count) * row.at("loss").get<double>();
    }
    EXPECT_EQ(result.at("masked_tokens"), targets);
    EXPECT_GE(targets, 6 * 6);  // a quarter of 24, in each of six rows
    EXPECT_LE(targets, 6 * 7);
    EXPECT_NEAR(nats / static_cast<double>(targets), result.at("loss").get<double>(), 1e-5);
    EXPECT_THAT(
        headroom({"eval", "--checkpoint", checkpoint(), "--data", "task:grammar", "--batches", "1"})
            .out,
        HasSubstr("nats per masked token"));
}

/// The probes that take a loss mask the same sequences in the same places.
TEST_F(MaskedObjective, ProbesMeasureTheLossThatEvalDoes) {
    const json evaluated = json::parse(evaluate("task:grammar").out);
    for (const char* kind : {"weights", "ablation", "rewire", "logit_lens"}) {
        const Outcome outcome =
            headroom({"probe", kind, run().string(), "--batches", "3", "--batch-size", "2", "--out",
                      (*folder_ / "probe.h5").string(), "--json"});
        ASSERT_EQ(outcome.status, 0) << kind << ": " << outcome.err;
        const json loss = json::parse(outcome.out).at("loss");
        EXPECT_NEAR((loss.is_array() ? loss.back() : loss).get<double>(),
                    evaluated.at("loss").get<double>(), 1e-5)
            << kind;
    }
}

TEST_F(MaskedObjective, ProbesTakeTheRun) {
    for (const char* kind : {"attention", "heads", "similarity"}) {
        const Outcome outcome = headroom({"probe", kind, run().string()});
        EXPECT_EQ(outcome.status, 0) << kind << ": " << outcome.err;
    }
    const Outcome linear =
        headroom({"probe", "linear", run().string(), "--steps", "3", "--rates", "1e-3", "--json"});
    ASSERT_EQ(linear.status, 0) << linear.err;
}

/// What is made of the checkpoint is still an encoder of masked tokens.
TEST_F(MaskedObjective, ConversionsAndStudiesOfTheCheckpointKeepTheObjective) {
    const std::string grouped = (*folder_ / "gqa.safetensors").string();
    const Outcome converted = headroom(
        {"convert", "uptrain", "--checkpoint", checkpoint(), "--to", "gqa", "--out", grouped});
    ASSERT_EQ(converted.status, 0) << converted.err;
    const Outcome evaluated = headroom(
        {"eval", "--checkpoint", grouped, "--data", "task:grammar", "--batches", "1", "--json"});
    ASSERT_EQ(evaluated.status, 0) << evaluated.err;
    EXPECT_GT(json::parse(evaluated.out).at("masked_tokens"), 0);
    const std::string study = (*folder_ / "study").string();
    const Outcome made = headroom({"surgery", "recover", "--checkpoint", checkpoint(), "--data",
                                   "task:grammar", "--steps", "9", study});
    ASSERT_EQ(made.status, 0) << made.err;
    for (const StudyRun& one : load_study(study + "/study.json").runs) {
        EXPECT_TRUE(one.job.train.is_masked()) << one.id;
        EXPECT_EQ(one.job.train.mask_rate, 0.25);
        EXPECT_EQ(one.job.train.mask_span, 2);
    }
}

TEST_F(MaskedObjective, ARunThatWasStoppedGoesOnToTheSameWeights) {
    const std::filesystem::path half = *folder_ / "half";
    for (const char* steps : {"train.steps=2", "train.steps=4"}) {
        std::vector<std::string> args{"train",
                                      "--job",
                                      job(),
                                      "--out",
                                      half.string(),
                                      "--set",
                                      steps,
                                      "--set",
                                      "train.decay_steps=4",
                                      "--set",
                                      "train.eval_every=0"};
        if (std::filesystem::exists(half)) args.emplace_back("--resume");
        const Outcome outcome = headroom(args);
        ASSERT_EQ(outcome.status, 0) << outcome.err;
    }
    EXPECT_TRUE(read_text(half / "checkpoints/step-00000004.safetensors") ==
                read_text(checkpoint()));
}

TEST_F(MaskedObjective, AnEncoderContinuesNoText) {
    expect_one_error_line(headroom({"generate", "--checkpoint", checkpoint(), "--prompt", "a"}), 2,
                          "is an encoder and cannot continue a text");
}

TEST_F(MaskedObjective, JobsThatCannotBeAreRefusedInOneLine) {
    const auto train = [&](std::vector<std::string> sets) {
        std::vector<std::string> args{"train", "--job", job(), "--out",
                                      (*folder_ / "refused").string()};
        for (const std::string& set : sets) args.insert(args.end(), {"--set", set});
        return headroom(args);
    };
    expect_one_error_line(train({"model.causal=true"}), 2, "set model.causal = false");
    expect_one_error_line(train({"model.vocab_size=256"}), 2,
                          "256 different tokens and the mask is one more");
    const Outcome next = train({"train.objective=next_token", "train.mask_rate=0.25"});
    EXPECT_EQ(next.status, 0) << next.err;
    EXPECT_THAT(next.err, HasSubstr("an encoder learns with train.objective = masked"));
    EXPECT_THAT(next.err,
                HasSubstr("train.mask_rate = 0.25 has no effect without objective = masked"));
}

}  // namespace
}  // namespace headroom
