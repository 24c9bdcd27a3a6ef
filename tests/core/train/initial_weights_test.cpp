#include "core/train/initial_weights.h"

#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/job_json.h"
#include "core/log/run_log_reader.h"
#include "core/study/run_folder.h"
#include "core/surgery/norm_surgery.h"
#include "core/surgery/uptrain_model.h"
#include "core/train/evaluation.h"
#include "core/train/run_training.h"
#include "core/train/training_session.h"
#include "core/weights/checkpoint_weights.h"
#include "core/weights/save_weights.h"
#include "tests/core/train/test_data.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::HasSubstr;

Job job_of(const std::string& model, int64_t steps) {
    Job job = parse_job(nlohmann::json::parse(R"({"seed": 3, "precision": "float64",
            "model": {"n_layer": 2, "n_head": 2, "d_model": 16, "block_size": 16,
                      "vocab_size": 11, )" + model +
                                              R"(},
            "train": {"batch_size": 4, "seq_len": 16, "warmup_steps": 2, "lr": 0.01,
                      "eval_every": 4, "eval_batches": 2, "checkpoint_every": 4}})"),
                        "");
    job.train.steps = steps;
    return job;
}

class InitialWeightsTest : public testing::Test {
  protected:
    /// Trains a multi-head model for a few steps; its last checkpoint.
    std::string trained(const std::string& model = R"("arch": "gpt2")") {
        const std::filesystem::path run = folder_ / "source";
        run_training(job_of(model, 8), run, data_, *device_, {});
        return RunFolder{run}.checkpoints() / "step-00000008.safetensors";
    }
    RunSeries run(const Job& job) {
        EXPECT_EQ(run_training(job, folder_ / "run", data_, *device_, {}), RunState::kFinished);
        return read_run_log(RunFolder{folder_ / "run"}.log());
    }
    double loss_of(const std::string& checkpoint, Job job) {
        const CheckpointWeights weights = CheckpointWeights::open(checkpoint);
        job.model = weights.config();
        EvaluationSession session(job, data_, *device_);
        session.load(weights);
        return session.evaluate();
    }
    void expect_refused(const Job& job, const std::string& part) {
        try {
            InitialWeights::open(job);
            ADD_FAILURE() << part;
        } catch (const UserError& error) {
            EXPECT_THAT(error.what(), HasSubstr(part));
        }
    }

    TemporaryFolder folder_;
    CountingTokens data_{11};
    std::unique_ptr<Device> device_ = make_cpu_device();
};

TEST_F(InitialWeightsTest, TheFirstLossOfARunIsThatOfTheFile) {
    Job job = job_of(R"("arch": "gpt2")", 6);
    job.train.init_from = trained();
    const RunSeries series = run(job);
    ASSERT_THAT(series.val.step, testing::ElementsAre(0, 4, 6));
    const double expected = loss_of(job.train.init_from, job);
    EXPECT_EQ(series.val.loss.front(), static_cast<float>(expected));
    EXPECT_LT(expected, 2.3);  // ln 11 = 2.398: the file has learned something
    EXPECT_EQ(series.val.tokens.front(), 0);
}

TEST_F(InitialWeightsTest, TheFirstStepComputesTheLossOfTheFileOnItsBatch) {
    Job job = job_of(R"("arch": "gpt2")", 6);
    job.train.init_from = trained();
    TrainingSession session(job, data_, *device_);
    session.initialize();
    const double first = session.step(1).loss;
    TrainingSession source(job, data_, *device_);  // the same weights by the way of resuming
    source.restore(checkpoint_files(RunFolder{folder_ / "source"}.checkpoints(), 8));
    EXPECT_EQ(first, source.step(1).loss);
}

TEST_F(InitialWeightsTest, ConvertsOnTheWayIn) {
    const std::string file = trained();
    const auto source = open_weights(file);
    for (const char* method : {"mean_v", "mean_vo", "top_v", "top_vo", "svd", "mean_kv"}) {
        const bool grouped = std::string(method) == "mean_kv";
        Job job = job_of(grouped ? R"("base": "gpt2", "arch": "gqa")" : R"("arch": "skipv1")", 2);
        job.train.init_from = file;
        job.train.init_convert = method;
        save_weights(*uptrain(source, {method}), folder_ / "converted.safetensors");
        TrainingSession session(job, data_, *device_);
        session.initialize();
        EXPECT_DOUBLE_EQ(session.evaluate(), loss_of(folder_ / "converted.safetensors", job))
            << method;
        EXPECT_TRUE(InitialWeights::open(job).differences.empty());
    }
}

TEST_F(InitialWeightsTest, FreezesOnTheWayInTheNormsThatTheModelLacks) {
    const std::string file = trained(R"("arch": "gpt2", "tie": false)");
    Job job = job_of(R"("arch": "gpt2", "tie": false, "norm": ["none", "layernorm"])", 2);
    job.train.init_from = file;
    job.train.init_convert = "freeze_norms";
    TrainingSession session(job, data_, *device_);
    session.initialize();
    // By hand, with the scales of the first batch.
    Batch batch = Batch::of_tokens(4, 16);
    data_.train_batch(1, 0, batch);
    const auto source = open_weights(file);
    const SurgeryPlan plan = plan_surgery(
        source->config(), find_surgery("freeze-norms"),
        {.layer = 0, .norm_scales = measure_norm_scales(*source, batch.tokens(), 16, *device_)});
    save_weights(*operated(source, plan), folder_ / "frozen.safetensors");
    EXPECT_DOUBLE_EQ(session.evaluate(), loss_of(folder_ / "frozen.safetensors", job));
    EXPECT_NE(session.evaluate(), loss_of(file, job));
    EXPECT_TRUE(InitialWeights::open(job).differences.empty());
    const double first = session.step(1).loss;
    EXPECT_NE(session.step(2).loss, first);  // it trains on
    job.model.norm = NormKind::kRmsNorm;
    EXPECT_THROW(InitialWeights::open(job), UserError);
}

TEST_F(InitialWeightsTest, SaysToTheJobWhichNormsCannotFreeze) {
    const std::string file = trained(R"("arch": "gpt2", "tie": true)");
    const auto refused = [&](const char* model, const char* why, const char* mend) {
        Job job = job_of(model, 2);
        job.train.init_from = file;
        job.train.init_convert = "freeze_norms";
        expect_refused(job, why);
        expect_refused(job, mend);
    };
    refused(R"("arch": "gpt2", "tie": true, "norm": "none", "norm_f": "none")",
            "ln_f cannot go: the head is the embedding's transpose",
            "; untie the head (model.tie = false)");
    refused(R"("arch": "gpt2", "tie": true)", "no norm would go",
            "; keep that norm in model.norm and model.norm_f, or leave train.init_convert out");
}

TEST_F(InitialWeightsTest, RewiresOnTheWayIn) {
    const std::string file = trained();
    const auto source = open_weights(file);
    const auto rewired = [&](const char* model) {
        Job job = job_of(model, 2);
        job.train.init_from = file;
        job.train.init_convert = "rewire";
        const InitialWeights weights = InitialWeights::open(job);
        EXPECT_TRUE(weights.differences.empty()) << model;
        TrainingSession session(job, data_, *device_);
        session.initialize();
        EXPECT_GT(std::abs(session.step(1).loss - session.step(2).loss), 0);
        return weights.weights;
    };
    const auto columns = [](const std::vector<double>& matrix, int64_t width, int64_t first) {
        std::vector<double> some;  // 8 of each row of 16
        for (size_t row = 0; row < 16; ++row)
            for (int64_t i = 0; i < 8; ++i)
                some.push_back(
                    matrix[row * static_cast<size_t>(width) + static_cast<size_t>(first + i)]);
        return some;
    };
    const auto same = rewired(R"("arch": "gpt2")");
    for (const ParameterSpec& spec : source->specs())
        EXPECT_EQ(same->read<double>(spec.name), source->read<double>(spec.name)) << spec.name;

    // Head 0 of layer 1 reads layer 0's value, so that layer 1 keeps what it had for head 1 alone.
    const auto table = rewired(R"("wiring": {"values": ["own", [[[0, 0]], [[1, 0]]]]})");
    const std::vector<double> values = source->read<double>("h.1.attn.v.weight");
    EXPECT_EQ(table->read<double>("h.1.attn.v.weight"), columns(values, 16, 8));
    EXPECT_EQ(table->read<double>("h.1.attn.k.weight"), source->read<double>("h.1.attn.k.weight"));

    const auto mixed = rewired(R"("arch": "resformer", "res_lambda": "learned")");
    EXPECT_THAT(mixed->read<double>("h.1.attn.lambda"), testing::ElementsAre(0.5));
    EXPECT_FALSE(rewired(R"("arch": "svformer")")->has("h.1.attn.v.weight"));

    const auto grouped = rewired(R"("n_kv_head": 1)");
    const std::vector<double> first = columns(values, 16, 0), second = columns(values, 16, 8);
    const std::vector<double> mean = grouped->read<double>("h.1.attn.v.weight");
    for (size_t i = 0; i < mean.size(); ++i) EXPECT_DOUBLE_EQ(mean[i], (first[i] + second[i]) / 2);

    Job job = job_of(R"("n_layer": 3)", 2);
    job.train.init_from = file;
    job.train.init_convert = "rewire";
    expect_refused(job, "model.n_layer = 3, in the weights 2");
    job = job_of(R"("arch": "gpt2")", 2);
    job.train.init_from = folder_ / "sv.safetensors";
    job.train.init_convert = "rewire";
    save_weights(*rewired(R"("arch": "svformer")"), job.train.init_from);
    expect_refused(job, "layer 1 needs a value head 0 of its own");
}

TEST_F(InitialWeightsTest, RefusesAFileOfAnotherShape) {
    const std::string file = trained();
    Job job = job_of(R"("arch": "skipv1")", 2);
    job.train.init_from = file;
    expect_refused(job, "tensor h.1.attn.v.weight has shape");
    job = job_of(R"("arch": "gpt2", "qk_norm": true)", 2);
    job.train.init_from = file;
    expect_refused(job, "has no tensor h.0.attn.q_norm.weight");
    job = job_of(R"("arch": "wq_identity")", 2);
    job.train.init_from = file;
    expect_refused(job, "has the tensor h.0.attn.q.weight");
    job.train.init_from = folder_ / "nothing.safetensors";
    expect_refused(job, "nothing.safetensors");
    job = job_of(R"("arch": "gpt2")", 2);
    job.train.init_from = file;
    job.train.init_convert = "mean_v";
    expect_refused(job, "no layer reads half of its values elsewhere");
}

TEST_F(InitialWeightsTest, NormsAreNoOtherWiring) {
    const std::string file = trained();
    const ModelConfig wanted = job_of(R"("arch": "gpt2")", 2).model;
    for (const char* way : {"freeze_norms", "none", "mean"}) {
        EXPECT_THROW(converted_weights(open_weights(file), wanted, way), UserError) << way;
        EXPECT_THROW(check_conversion(wanted, wanted, way), UserError) << way;
    }
}

TEST_F(InitialWeightsTest, NamesKeysThatGiveTheSameTensorsAnotherMeaning) {
    Job job = job_of(R"("arch": "gpt2", "attn_scale": 0.125, "mlp": "relu")", 2);
    job.train.init_from = trained();
    EXPECT_THAT(InitialWeights::open(job).differences,
                testing::UnorderedElementsAre(HasSubstr("model.attn_scale = 0.125, in the file"),
                                              HasSubstr("model.mlp = \"relu\"")));
}

TEST_F(InitialWeightsTest, ConvertingNeedsAFile) {
    const auto document = nlohmann::json::parse(R"({"train": {"init_convert": "svd"}})");
    EXPECT_THROW(parse_job(document, ""), UserError);
}

TEST_F(InitialWeightsTest, ARunThatStoppedBeforeItsFirstCheckpointStartsFromTheFileAgain) {
    Job job = job_of(R"("arch": "gpt2")", 6);
    job.train.init_from = trained();
    const RunSeries whole = run(job);
    RunOptions options;
    options.on_progress = [](const RunProgress& progress) {
        if (progress.step == 3) throw std::runtime_error("stopped");
    };
    EXPECT_THROW(run_training(job, folder_ / "again", data_, *device_, options),
                 std::runtime_error);
    ASSERT_TRUE(list_checkpoints(RunFolder{folder_ / "again"}.checkpoints()).empty());
    std::vector<std::string> warnings;
    options = {};
    options.resume = true;
    options.on_warning = [&](const std::string& text) { warnings.push_back(text); };
    run_training(job, folder_ / "again", data_, *device_, options);
    EXPECT_THAT(warnings, testing::ElementsAre(testing::HasSubstr("starts again from step 0")));
    const RunSeries again = read_run_log(RunFolder{folder_ / "again"}.log());
    EXPECT_EQ(again.train.loss, whole.train.loss);
    EXPECT_EQ(again.val.step, whole.val.step);
    EXPECT_EQ(again.val.loss, whole.val.loss);
}

}  // namespace
}  // namespace headroom
