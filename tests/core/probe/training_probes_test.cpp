#include "core/probe/training_probes.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/checkpoint/checkpoint.h"
#include "core/config/job_json.h"
#include "core/cpu/parallel.h"
#include "core/data/data_paths.h"
#include "core/log/run_log_reader.h"
#include "core/probe/heads_probe.h"
#include "core/probe/linear_probe_file.h"
#include "core/probe/probe_kind.h"
#include "core/study/run_folder.h"
#include "core/train/predict_memory.h"
#include "core/train/run_training.h"
#include "core/weights/checkpoint_weights.h"
#include "core/weights/fresh_weights.h"
#include "tests/core/train/test_data.h"
#include "tests/support/read_head_scores.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

Job probed_job(const char* probes) {
    Job job = parse_job(nlohmann::json::parse(R"({
            "name": "probed", "seed": 3,
            "model": {"n_layer": 2, "n_head": 2, "d_model": 16, "block_size": 16,
                      "vocab_size": 11},
            "train": {"steps": 12, "batch_size": 4, "seq_len": 16, "warmup_steps": 2, "lr": 0.01,
                      "eval_every": 4, "eval_batches": 2, "checkpoint_every": 5}})"),
                        "");
    job.probes = parse_probes(nlohmann::json::parse(probes));
    return job;
}

class TrainingProbes : public testing::Test {
  protected:
    RunState run(const Job& job, const std::string& name = "run", bool resume = false) {
        RunOptions options;
        options.resume = resume;
        options.stop = &stop_;
        options.on_warning = [this](const std::string& text) { warnings_.push_back(text); };
        options.token_text = [](int32_t id) { return "<" + std::to_string(id) + ">"; };
        options.score_tasks = [this](const WeightSource&, const std::string& tasks, int64_t,
                                     const std::function<void(double)>& tell) {
            if (stop_in_scoring_) stop_ = true;
            std::this_thread::sleep_for(scoring_takes_);
            tell(0.5);
            std::vector<TaskScore> scores;
            for (const std::string& task : split_tasks(tasks)) {
                const double value = scores.empty() ? 0.75 : 0.25;
                scores.push_back({task.substr(0, task.find(':')), "acc", {value, 0.1, 4}});
                scores.push_back({scores.back().task, "acc_norm", {0.5, 0.1, 4}});
            }
            return scores;
        };
        return run_training(job, folder_ / name, data_, *device_, options);
    }
    fs::path probe(const std::string& kind, int64_t step, const std::string& name = "run") const {
        return RunFolder{folder_ / name}.probes() / probe_file_name(kind, step);
    }

    TemporaryFolder folder_;
    CountingTokens data_{11};
    std::unique_ptr<Device> device_ = make_cpu_device();
    std::vector<std::string> warnings_;
    std::atomic<bool> stop_ = false;
    bool stop_in_scoring_ = false;
    std::chrono::milliseconds scoring_takes_{0};
};

TEST_F(TrainingProbes, RunEveryNStepsAndAtTheEndOnAFixedBatch) {
    const Job job = probed_job(R"([{"kind": "heads", "every": 5, "batch_size": 2},
                                   {"kind": "attention"},
                                   {"kind": "linear", "steps": 3, "rates": [0.01]}])");
    EXPECT_EQ(run(job), RunState::kFinished);
    EXPECT_TRUE(warnings_.empty()) << warnings_[0];
    for (const int64_t step : {5, 10, 12}) EXPECT_TRUE(fs::exists(probe("heads", step))) << step;
    EXPECT_FALSE(fs::exists(probe("linear", 5)));
    EXPECT_TRUE(fs::exists(probe("attention", 12)));
    const LinearProbeResult linear = read_linear_probe(ArrayFile(probe("linear", 12)));
    EXPECT_EQ(linear.layers, (std::vector<int32_t>{0, 1}));

    const ArrayFile first(probe("heads", 5)), last(probe("heads", 12));
    const ProbeHeader header = read_probe_header(first);
    EXPECT_EQ(header.kind, "heads");
    EXPECT_EQ(header.run, "probed");
    EXPECT_EQ(header.step, 5);
    EXPECT_EQ(header.model, job.model);
    const ProbeTokens tokens = read_probe_tokens(first);
    EXPECT_EQ(tokens.ids, read_probe_tokens(last).ids);
    EXPECT_EQ(tokens.batch_size, 2);
    EXPECT_EQ(tokens.pieces[0], "<" + std::to_string(tokens.ids[0]) + ">");
}

TEST_F(TrainingProbes, TheLogKeepsWhatClaimsAreMadeOf) {
    const Job job = probed_job(R"([{"kind": "similarity", "every": 5},
                                   {"kind": "linear", "steps": 3, "rates": [0.01]}])");
    run(job);
    EXPECT_TRUE(warnings_.empty()) << warnings_[0];
    const RunSeries log = read_run_log(RunFolder{folder_ / "run"}.log());
    const ScalarSeries& heads = log.scalars.at("head_similarity");
    ASSERT_EQ(heads.step.size(), 3u) << "at 5, 10 and 12";
    const ArrayFile file(probe("similarity", 12));
    const auto maps = file.read_all<double>("/similarity/heads/output");  // [2, 2, 2]
    EXPECT_FLOAT_EQ(heads.value[2], static_cast<float>(maps[5]));
    const auto tokens = file.read_all<double>("/similarity/tokens/stream_mean");
    EXPECT_FLOAT_EQ(log.scalars.at("token_similarity").value[2], static_cast<float>(tokens.back()));
    ASSERT_EQ(log.scalars.at("linear_slope").step.size(), 1u);
}

TEST_F(TrainingProbes, SeeTheWeightsThatTheCheckpointOfTheStepHolds) {
    const Job job = probed_job(R"([{"kind": "heads", "every": 5, "batch_size": 1}])");
    run(job);
    const ArrayFile file(probe("heads", 10));
    const ProbeTokens tokens = read_probe_tokens(file);
    ProbePass pass(job.model, {1, 16, DType::kF32}, ProbeTaps::all_attention(job.model), *device_);
    const auto checkpoints = list_checkpoints(RunFolder{folder_ / "run"}.checkpoints());
    pass.load(CheckpointWeights::open(checkpoints.at(1).weights));
    pass.run(tokens.ids);
    HeadScoreSum sum(2, 2, 16);
    sum.add(pass, 0, tokens.ids);
    const HeadScores found = read_head_scores(file), expected = sum.mean();
    EXPECT_EQ(found.distance_profile, expected.distance_profile);
    EXPECT_EQ(found.measures[0], expected.measures[0]);
}

TEST_F(TrainingProbes, ARunOfNoStepsIsTheModelBeforeAnyTraining) {
    Job job = probed_job(R"([{"kind": "heads"}])");
    job.train.steps = job.train.warmup_steps = 0;
    EXPECT_EQ(run(job), RunState::kFinished);
    EXPECT_TRUE(warnings_.empty()) << warnings_[0];
    EXPECT_TRUE(fs::exists(probe("heads", 0)));
    const auto checkpoints = list_checkpoints(RunFolder{folder_ / "run"}.checkpoints());
    ASSERT_EQ(checkpoints.size(), 1u);
    EXPECT_EQ(checkpoints.front().step, 0);
    const CheckpointWeights first = CheckpointWeights::open(checkpoints.front().weights);
    const FreshWeights fresh(job.model, 3);
    for (const ParameterSpec& spec : fresh.specs())
        EXPECT_EQ(first.read<float>(spec.name), fresh.read<float>(spec.name)) << spec.name;
    EXPECT_EQ(run(job, "run", true), RunState::kFinished);  // nothing to do
}

TEST_F(TrainingProbes, ChangeNothingInTheTraining) {
    run(probed_job("[]"), "plain");
    run(probed_job(
            R"([{"kind": "heads", "every": 1}, {"kind": "linear", "every": 6, "steps": 2}])"),
        "probed");
    const RunSeries plain = read_run_log(RunFolder{folder_ / "plain"}.log());
    const RunSeries probed = read_run_log(RunFolder{folder_ / "probed"}.log());
    EXPECT_EQ(plain.train.loss, probed.train.loss);
    EXPECT_EQ(plain.train.grad_norm, probed.train.grad_norm);
    EXPECT_EQ(plain.val.loss, probed.val.loss);
}

TEST_F(TrainingProbes, EveryKindRuns) {
    Job job = probed_job(R"([{"kind": "linear", "steps": 2}])");
    for (const ProbeSchema& kind : probe_schemas())
        if (kind.kind != "linear") job.probes.push_back({.kind = kind.kind, .batch_size = 1});
    for (ProbeConfig& probe : job.probes)
        for (const ProbeOption& option : find_probe_schema(probe.kind)->options) {
            if (option.name == "edit") probe.values.set("edit", std::string("values 1 read 0"));
            if (option.names_tasks) probe.values.set(option.name, std::string("piqa:x.jsonl"));
        }
    run(job);
    EXPECT_TRUE(warnings_.empty()) << warnings_[0];
    for (const ProbeSchema& kind : probe_schemas()) {
        const ArrayFile file(probe(kind.kind, 12));
        EXPECT_EQ(read_probe_header(file).kind, kind.file_word());
        EXPECT_FALSE(file.names("/" + kind.file_word()).empty()) << kind.kind;
    }
    const ScalarSeries accuracy =
        read_run_log(RunFolder{folder_ / "run"}.log()).scalars.at("piqa.acc");
    EXPECT_EQ(accuracy.step, SharedColumn<int64_t>({12}));
    EXPECT_EQ(accuracy.value, SharedColumn<float>({0.75f}));
}

TEST_F(TrainingProbes, SeveralTasksHaveAMeanAccuracy) {
    run(probed_job(R"([{"kind": "eval", "tasks": "piqa:x.jsonl; grammar_recall"}])"));
    EXPECT_TRUE(warnings_.empty()) << warnings_[0];
    const auto scalars = read_run_log(RunFolder{folder_ / "run"}.log()).scalars;
    EXPECT_EQ(scalars.at("grammar_recall.acc").value, SharedColumn<float>({0.25f}));
    EXPECT_EQ(scalars.at("average.acc").value, SharedColumn<float>({0.5f}));
    const ArrayFile file(probe("eval", 12));
    EXPECT_DOUBLE_EQ(file.read_all<double>("/eval/average.acc_stderr", 1).at(0),
                     std::sqrt(0.02) / 2);
}

TEST_F(TrainingProbes, AScoringOfTasksStopsWithTheRun) {
    stop_in_scoring_ = true;
    EXPECT_EQ(run(probed_job(R"([{"kind": "eval", "tasks": "piqa:x.jsonl", "every": 5}])")),
              RunState::kStopped);
    ASSERT_EQ(warnings_.size(), 1u);
    EXPECT_THAT(warnings_[0], testing::HasSubstr("stopped before it was done"));
    EXPECT_FALSE(fs::exists(probe("eval", 5)));
}

TEST_F(TrainingProbes, AResumedRunDoesNotRepeatFinishedOnesAndMakesUpForMissingOnes) {
    Job job = probed_job(R"([{"kind": "heads", "every": 5}])");
    job.train.steps = 7;
    job.train.decay_steps = 12;
    run(job);
    std::ofstream(probe("heads", 5)) << "left alone";
    fs::remove(probe("heads", 7));
    run(job, "run", true);  // nothing left to train
    EXPECT_TRUE(fs::exists(probe("heads", 7)));
    job.train.steps = 12;
    EXPECT_EQ(run(job, "run", true), RunState::kFinished);
    EXPECT_EQ(fs::file_size(probe("heads", 5)), 10u);
    EXPECT_TRUE(fs::exists(probe("heads", 10)));
    EXPECT_TRUE(fs::exists(probe("heads", 12)));
}

TEST_F(TrainingProbes, TheirTimeIsNotTheTrainings) {
    scoring_takes_ = std::chrono::milliseconds(300);
    const auto start = std::chrono::steady_clock::now();
    run(probed_job(R"([{"kind": "eval", "tasks": "piqa:x.jsonl", "every": 5}])"));
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    const RunSeries log = read_run_log(RunFolder{folder_ / "run"}.log());
    EXPECT_LT(log.train.seconds.back(), wall.count() - 2 * 0.3) << "behind steps 5 and 10";
    EXPECT_TRUE(fs::exists(probe("eval", 12)));
}

TEST_F(TrainingProbes, AFailingOneIsReportedAndTheRunGoesOn) {
    fs::create_directories(folder_ / "run");
    std::ofstream(folder_ / "run/probes") << "in the way";
    EXPECT_EQ(run(probed_job(R"([{"kind": "heads", "every": 10}])")), RunState::kFinished);
    ASSERT_EQ(warnings_.size(), 2u);
    EXPECT_THAT(warnings_[0], testing::HasSubstr("probe heads of step 10: "));
}

TEST(ProbeKinds, CanAllBeMeasuredAndKnowTheirMemory) {
    for (const ProbeKind& kind : probe_kinds()) {
        EXPECT_EQ(&find_probe_kind(kind.schema.kind), &kind);
        EXPECT_FALSE(kind.schema.help.empty());
        EXPECT_NE(kind.measure, nullptr);
        EXPECT_TRUE(kind.taps != nullptr || kind.bytes != nullptr) << kind.schema.kind;
    }
    EXPECT_EQ(&find_probe_kind("lens"), &find_probe_kind("logit_lens"));
}

TEST(ProbeKinds, ThePredictionCountsTheLargest) {
    const char* probes = R"([{"kind": "heads", "batch_size": 64}, {"kind": "linear"}])";
    const Job plain = probed_job("[]"), probed = probed_job(probes);
    const int64_t heads = ProbePass::memory(plain.model, {64, 16, DType::kF32},
                                            ProbeTaps::all_attention(plain.model), cpu_threads())
                              .total;
    const int64_t linear = linear_probe_bytes(plain, {}, cpu_threads());
    EXPECT_GT(linear, 0);
    EXPECT_EQ(predict_memory(probed).total() - predict_memory(plain).total(),
              std::max(heads, linear));
    EXPECT_EQ(predict_memory(probed).training.total, predict_memory(plain).training.total)
        << "what is called training is the same everywhere";
}

}  // namespace
}  // namespace headroom
