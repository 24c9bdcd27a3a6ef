#include "core/train/run_training.h"

#include <atomic>
#include <cmath>
#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/checkpoint/checkpoint.h"
#include "core/config/job_json.h"
#include "core/log/run_log_reader.h"
#include "core/log/run_log_writer.h"
#include "core/study/run_control.h"
#include "core/study/run_folder.h"
#include "core/study/run_job.h"
#include "core/study/run_status.h"
#include "tests/core/train/test_data.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

Job short_job() {
    return parse_job(nlohmann::json::parse(R"({
            "name": "short", "seed": 3,
            "model": {"n_layer": 2, "n_head": 2, "d_model": 16, "block_size": 16,
                      "vocab_size": 11},
            "train": {"steps": 12, "batch_size": 4, "seq_len": 16, "warmup_steps": 2, "lr": 0.01,
                      "eval_every": 4, "eval_batches": 2, "checkpoint_every": 5}})"),
                     "");
}

class RunTraining : public testing::Test {
  protected:
    RunState run(const Job& job, const RunOptions& options = {}) {
        return run_training(job, folder_.path() / "run", data_, *device_, options);
    }
    /// Trains until it is asked to stop, behind a step.
    RunState run_until(const Job& job, int64_t step) {
        std::atomic<bool> stop{false};
        RunOptions options;
        options.stop = &stop;
        options.on_progress = [&](const RunProgress& progress) { stop = progress.step == step; };
        return run(job, options);
    }
    RunState resume(const Job& job) {
        RunOptions options;
        options.resume = true;
        return run(job, options);
    }
    RunSeries log() const { return read_run_log(run_folder().log()); }
    RunFolder run_folder() const { return {folder_.path() / "run"}; }

    TemporaryFolder folder_;
    CountingTokens data_{11};
    std::unique_ptr<Device> device_ = make_cpu_device();
};

TEST_F(RunTraining, LeavesALogCheckpointsAndTheResolvedJob) {
    const Job job = short_job();
    EXPECT_EQ(run(job), RunState::kFinished);
    const RunSeries series = log();
    EXPECT_EQ(series.state, RunState::kFinished);
    EXPECT_EQ(series.train.step.size(), 12u);
    EXPECT_EQ(series.train.tokens.back(), 12 * 4 * 16);
    EXPECT_THAT(series.val.step, testing::ElementsAre(4, 8, 12));
    EXPECT_LT(series.val.loss.back(), series.val.loss.front());
    EXPECT_EQ(load_run_job(run_folder()), job);
    const auto checkpoints = list_checkpoints(run_folder().checkpoints());
    ASSERT_EQ(checkpoints.size(), 3u);
    EXPECT_EQ(checkpoints[1].step, 10);
    const Checkpoint last = Checkpoint::open(checkpoints[2].weights);
    EXPECT_EQ(parse_model_config(nlohmann::json::parse(last.metadata.config_json), ""), job.model);
    EXPECT_EQ(last.metadata.tokens, 12 * 4 * 16);
}

TEST_F(RunTraining, NeverEvaluatesAndSavesOnlyTheLastStepWhereZeroSaysSo) {
    Job job = short_job();
    job.train.eval_every = 0;
    job.train.checkpoint_every = 0;
    EXPECT_EQ(run(job), RunState::kFinished);
    EXPECT_TRUE(log().val.step.empty());
    const auto checkpoints = list_checkpoints(run_folder().checkpoints());
    ASSERT_EQ(checkpoints.size(), 1u);
    EXPECT_EQ(checkpoints[0].step, 12);
}

TEST_F(RunTraining, StopsAtAStepAndResumesWithTheVerySameLosses) {
    const Job job = short_job();
    EXPECT_EQ(run(job), RunState::kFinished);
    const RunSeries whole = log();
    std::filesystem::remove_all(run_folder().root);

    EXPECT_EQ(run_until(job, 7), RunState::kStopped);
    EXPECT_EQ(log().state, RunState::kStopped);
    EXPECT_EQ(log().train.step.size(), 7u);

    EXPECT_EQ(resume(job), RunState::kFinished);
    const RunSeries resumed = log();
    EXPECT_EQ(resumed.train.step, whole.train.step);
    EXPECT_EQ(resumed.train.loss, whole.train.loss);
    EXPECT_EQ(resumed.train.grad_norm, whole.train.grad_norm);
    EXPECT_EQ(resumed.train.batch_hash, whole.train.batch_hash);
    EXPECT_EQ(resumed.val.loss, whole.val.loss);
    EXPECT_GT(resumed.train.seconds[7], resumed.train.seconds[6]);
}

/// Steps since the last evaluation, those that the log has from before the resume included.
TEST_F(RunTraining, ResumesWithTheVerySameShareOfClippedSteps) {
    Job job = short_job();
    job.train.grad_clip = 1.04;
    EXPECT_EQ(run(job), RunState::kFinished);
    const RunSeries whole = log();
    const ScalarSeries& shares = whole.scalars.at("clipped_share");
    ASSERT_EQ(shares.value.size(), 3u);
    for (size_t i = 0; i < 3; ++i) {
        float clipped = 0;
        for (size_t row = 4 * i; row < 4 * i + 4; ++row)
            clipped += whole.train.grad_norm[row] > 1.04f ? 1 : 0;
        EXPECT_EQ(shares.value[i], clipped / 4);
    }
    std::filesystem::remove_all(run_folder().root);

    EXPECT_EQ(run_until(job, 7), RunState::kStopped);
    EXPECT_EQ(resume(job), RunState::kFinished);
    EXPECT_EQ(log().scalars.at("clipped_share").value, shares.value);
    EXPECT_GT(shares.value[1], 0);
    EXPECT_LT(shares.value[1], 1);
}

TEST_F(RunTraining, ResumesAModelOfExpertsWithWhatItsRoutersTold) {
    Job job = short_job();
    job.model.mlp_experts = 4;
    job.model.mlp_top_k = 2;
    job.model.mlp_capacity = 1.0;
    EXPECT_EQ(run(job), RunState::kFinished);
    const RunSeries whole = log();
    ASSERT_EQ(whole.scalars.at("router.h1.e3").value.size(), 3u);
    double shares = 0;
    for (const char* expert : {"e0", "e1", "e2", "e3"})
        shares += whole.scalars.at(std::string("router.h1.") + expert).value[2];
    EXPECT_NEAR(shares, 1.0, 1e-6);
    const auto at_end = [&](const char* name) { return whole.scalars.at(name).value[2]; };
    EXPECT_NEAR(at_end("router.balance"),
                (at_end("router.h0.balance") + at_end("router.h1.balance")) / 2, 1e-6);
    EXPECT_GE(at_end("router.h0.balance"), 1.0 - 1e-3);  // of shares that follow the probabilities
    EXPECT_LE(at_end("router.h0.entropy"), std::log(4.0) + 1e-6);
    EXPECT_LT(at_end("router.h0.dropped"), 0.5);
    std::filesystem::remove_all(run_folder().root);

    EXPECT_EQ(run_until(job, 7), RunState::kStopped);
    EXPECT_EQ(resume(job), RunState::kFinished);
    const RunSeries resumed = log();
    EXPECT_EQ(resumed.train.loss, whole.train.loss);
    for (const auto& [name, scalar] : whole.scalars)
        if (name.starts_with("router.")) {
            EXPECT_EQ(resumed.scalars.at(name).value, scalar.value) << name;
        }
}

TEST_F(RunTraining, PausesWhileAskedToAndLeavesThePauseOutOfTheClock) {
    const Job job = short_job();
    RunOptions options;
    std::thread other;
    options.on_progress = [&](const RunProgress& progress) {
        if (progress.step != 6) return;
        write_request(run_folder().root, ControlRequest::kPause);
        other = std::thread([this] {
            while (log().state != RunState::kPaused)
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            std::this_thread::sleep_for(std::chrono::milliseconds(600));
            write_request(run_folder().root, ControlRequest::kRun);
        });
    };
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(run(job, options), RunState::kFinished);
    const double wall =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    ASSERT_TRUE(other.joinable());
    other.join();
    EXPECT_LT(log().train.seconds.back(), wall - 0.5);
}

TEST_F(RunTraining, RefusesAFolderThatHoldsARun) {
    run(short_job());
    try {
        run(short_job());
        FAIL() << "a second run went into the folder of the first";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("--resume"));
    }
}

TEST_F(RunTraining, RefusesToResumeAnotherJob) {
    run(short_job());
    Job other = short_job();
    other.train.lr = 0.02;
    RunOptions resume;
    resume.resume = true;
    try {
        run(other, resume);
        FAIL() << "not refused";
    } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find("train.lr is 0.01 there and 0.02 here"),
                  std::string::npos)
            << error.what();
    }
    Job longer = short_job();
    longer.train.steps = 14;
    longer.train.decay_steps = 12;
    EXPECT_EQ(run(longer, resume), RunState::kFinished);
    EXPECT_EQ(log().train.step.size(), 14u);
}

TEST_F(RunTraining, NoOtherNumberOfStepsMayChangeThoseThatThereAre) {
    ASSERT_EQ(run(short_job()), RunState::kFinished);
    RunOptions options;
    options.resume = true;
    const auto refused = [&](int64_t steps, int64_t decay_steps) {
        Job job = short_job();
        job.train.steps = steps;
        job.train.decay_steps = decay_steps;
        try {
            run(job, options);
            return std::string();
        } catch (const UserError& error) {
            return std::string(error.what());
        }
    };
    EXPECT_THAT(refused(10, 12), testing::HasSubstr("has 12 steps already"));
    EXPECT_THAT(refused(14, 0), testing::AllOf(testing::HasSubstr("falls over 12 steps"),
                                               testing::HasSubstr("train.decay_steps=12")));
    EXPECT_THAT(refused(12, 14), testing::HasSubstr("falls over 12 steps"));
    EXPECT_EQ(load_run_job(run_folder()).train.steps, 12) << "the record stays";
    // Warm-up that stands open follows the steps: nobody set it.
    Job open = short_job();
    open.train.steps = 14;
    open.train.warmup_steps += 2;
    EXPECT_THAT([&] { run(open, options); },
                testing::ThrowsMessage<UserError>(testing::HasSubstr("train.decay_steps=12")));
    EXPECT_EQ(refused(14, 12), "");
}

/// The same tokens in another order.
class OtherTokens : public CountingTokens {
  public:
    using CountingTokens::CountingTokens;
    void train_batch(int64_t step, int64_t micro, Batch& batch) const override {
        CountingTokens::train_batch(step + 1, micro, batch);
    }
};

TEST_F(RunTraining, DoesNotGoOnWithOtherDataOfTheSameName) {
    const Job job = short_job();
    ASSERT_EQ(run_until(job, 7), RunState::kStopped);
    const RunSeries before = log();
    RunOptions options;
    options.resume = true;
    try {
        run_training(job, run_folder().root, OtherTokens(11), *device_, options);
        ADD_FAILURE() << "not refused";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("step 7 of"));
        EXPECT_THAT(error.what(), testing::HasSubstr("was trained on other data than"));
    }
    EXPECT_EQ(log().train.loss, before.train.loss);
    EXPECT_EQ(resume(job), RunState::kFinished);
}

/// The same training tokens, evaluated on others.
class OtherValidation : public CountingTokens {
  public:
    using CountingTokens::CountingTokens;
    void eval_batch(int64_t index, Batch& batch) const override {
        CountingTokens::eval_batch(index + 1, batch);
    }
};

TEST_F(RunTraining, DoesNotGoOnWithOtherValidationDataOfTheSameName) {
    const Job job = short_job();
    ASSERT_EQ(run_until(job, 7), RunState::kStopped);
    const RunSeries before = log();
    ASSERT_FALSE(before.val.batch_hash.empty());
    EXPECT_NE(before.val.batch_hash.back(), 0u);
    RunOptions options;
    options.resume = true;
    EXPECT_THAT(
        [&] { run_training(job, run_folder().root, OtherValidation(11), *device_, options); },
        testing::ThrowsMessage<UserError>(testing::HasSubstr("was evaluated on other data than")));
    EXPECT_EQ(resume(job), RunState::kFinished);
    for (const uint64_t hash : log().val.batch_hash.to_vector())
        EXPECT_EQ(hash, before.val.batch_hash.back()) << "of every evaluation";
}

// Else a finished run's log would be lost, and a second training stand in its place.
TEST_F(RunTraining, DoesNotStartAgainWhereItsCheckpointsAreLost) {
    Job job = short_job();
    ASSERT_EQ(run(job), RunState::kFinished);
    const auto losses = [this] {
        const RunSeries series = log();
        std::vector<float> values;
        for (size_t i = 0; i < series.train.loss.size(); ++i)
            values.push_back(series.train.loss[i]);
        return values;
    };
    std::vector<float> left = losses();
    left.resize(10);
    job.train.steps = 14;
    job.train.decay_steps = 12;
    const auto refused = [&] {
        try {
            resume(job);
            return std::string();
        } catch (const UserError& error) {
            return std::string(error.what());
        }
    };
    std::vector<CheckpointFiles> files = list_checkpoints(run_folder().checkpoints());
    std::filesystem::remove(files.back().optimizer);
    std::vector<std::string> warnings;
    RunOptions options;
    options.resume = true;
    std::atomic<bool> stop{true};
    options.stop = &stop;
    options.on_warning = [&](const std::string& text) { warnings.push_back(text); };
    EXPECT_EQ(run(job, options), RunState::kStopped);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_THAT(warnings[0], testing::HasSubstr("goes on from step 10: "));
    EXPECT_THAT(warnings[0], testing::HasSubstr("step-00000012.optim"));
    EXPECT_EQ(losses(), left);
    files = list_checkpoints(run_folder().checkpoints());
    for (const CheckpointFiles& each : files) std::filesystem::remove(each.optimizer);
    EXPECT_THAT(refused(), testing::HasSubstr("no checkpoint can be resumed from"));
    for (const CheckpointFiles& each : files) std::filesystem::remove(each.weights);
    EXPECT_THAT(refused(), testing::HasSubstr("has no checkpoint any more"));
    EXPECT_EQ(losses(), left);
}

/// One that was killed behind the step of its first checkpoint, before that was written, had none.
TEST_F(RunTraining, StartsAgainWhereItWasKilledBeforeItsFirstCheckpoint) {
    const Job job = short_job();
    ASSERT_EQ(run_until(job, 5), RunState::kStopped);
    std::filesystem::remove_all(run_folder().checkpoints());
    RunLogWriter::resume(run_folder().log(), 5).close();
    EXPECT_EQ(log().state, RunState::kStarting) << "as a kill leaves it: not ended";
    EXPECT_EQ(resume(job), RunState::kFinished);
    EXPECT_EQ(log().train.step.size(), 12u);
}

TEST_F(RunTraining, ALogThatIsTakenAwayIsMissed) {
    for (const bool empties : {false, true}) {
        RunOptions options;
        options.on_progress = [&](const RunProgress& progress) {
            if (progress.step != 6) return;
            if (empties)
                std::filesystem::resize_file(run_folder().log(), 0);
            else
                std::filesystem::remove(run_folder().log());
        };
        try {
            run(short_job(), options);
            ADD_FAILURE() << "not missed";
        } catch (const EnvironmentError& error) {
            EXPECT_THAT(error.what(), testing::HasSubstr("was removed or written over"));
        }
        EXPECT_EQ(list_checkpoints(run_folder().checkpoints()).size(), 3u);
        std::filesystem::remove_all(run_folder().root);
    }
}

TEST_F(RunTraining, GoesOnFromAnOlderCheckpointWhereATensorIsGone) {
    const Job job = short_job();
    ASSERT_EQ(run_until(job, 11), RunState::kStopped);
    const CheckpointFiles newest = list_checkpoints(run_folder().checkpoints()).back();
    std::string bytes = read_text(newest.weights);
    bytes.replace(bytes.find("h.0.attn.o.weight"), 10, "h.0.attn.x");
    write_plainly(newest.weights, bytes);
    std::string said;
    RunOptions options;
    options.resume = true;
    options.on_warning = [&](const std::string& text) { said += text; };
    EXPECT_EQ(run(job, options), RunState::kFinished);
    EXPECT_THAT(said, testing::HasSubstr("goes on from step 10: "));
    EXPECT_THAT(said, testing::HasSubstr("h.0.attn.o.weight"));
    EXPECT_EQ(log().train.step.size(), 12u);
}

TEST_F(RunTraining, ALossThatIsNoNumberIsADivergenceAndKeepsItsCurve) {
    Job job = short_job();
    job.train.lr = 1e30;
    job.train.min_lr = 1e30;
    job.train.grad_clip = 0;
    std::string said;
    RunOptions options;
    options.on_warning = [&](const std::string& text) { said += text; };
    EXPECT_EQ(run(job, options), RunState::kDiverged);
    EXPECT_THAT(said, testing::HasSubstr("diverged: step 2"));
    EXPECT_EQ(log().state, RunState::kDiverged);
    EXPECT_EQ(log().train.step.back(), 2) << "the step is the last row's";
    EXPECT_EQ(run_status(run_folder().root).phase, RunPhase::kDiverged);
}

/// A rate of 100 drives a small model far above chance, but keeps its numbers finite.
TEST_F(RunTraining, ALossFarAboveChanceIsADivergenceAlsoOverAResume) {
    Job job = short_job();
    job.train.steps = 200;
    job.train.lr = job.train.min_lr = 10;
    job.train.grad_clip = 0;
    job.train.checkpoint_every = 30;
    EXPECT_EQ(run(job), RunState::kDiverged);
    const RunSeries whole = log();
    EXPECT_GE(whole.train.step.back(), 50);
    EXPECT_LT(whole.train.step.back(), 200);

    std::filesystem::remove_all(run_folder().root);
    EXPECT_EQ(run_until(job, 40), RunState::kStopped);
    EXPECT_EQ(resume(job), RunState::kDiverged);
    EXPECT_EQ(log().train.step.back(), whole.train.step.back()) << "it remembers the first 40";
}

}  // namespace
}  // namespace headroom
