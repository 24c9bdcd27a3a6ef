#include "core/train/training_session.h"

#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include "core/cpu/amx_product.h"
#include "core/cpu/gemm.h"
#include "core/model/initialize.h"
#include "core/train/predict_memory.h"
#include "tests/core/model/tiny_model.h"
#include "tests/core/train/test_data.h"
#include "tests/support/allocation_count.h"
#include "tests/support/forwarding_device.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thread_sanitizer.h"

namespace headroom {
namespace {

Job small_job(DType precision = DType::kF32) {
    Job job = tiny_job();
    job.precision = precision;
    job.model.n_head = job.model.n_kv_head = 4;
    job.model.d_model = 32;
    job.model.d_head = 8;
    job.model.d_ff = 64;
    job.model.block_size = 16;
    job.model.attn_scale = 1 / std::sqrt(8.0);
    job.model.wiring = build_wiring({}, 3, 4, 4);
    job.train.batch_size = 8;
    job.train.seq_len = 16;
    job.train.steps = 100;
    job.train.warmup_steps = 10;
    job.train.lr = 1e-2;
    job.train.min_lr = 1e-3;
    job.train.eval_batches = 4;
    return job;
}

std::vector<double> losses_of(const Job& job, int steps) {
    const CountingTokens data(job.model.vocab_size);
    const auto device = make_cpu_device();
    TrainingSession session(job, data, *device);
    session.initialize();
    std::vector<double> losses;
    for (int step = 1; step <= steps; ++step) losses.push_back(session.step(step).loss);
    return losses;
}

class TrainingSessionIn : public testing::TestWithParam<DType> {};

TEST_P(TrainingSessionIn, LearnsACountingTask) {
    const Job job = small_job(GetParam());
    const CountingTokens data(job.model.vocab_size);
    const auto device = make_cpu_device();
    TrainingSession session(job, data, *device);
    session.initialize();
    const double before = session.evaluate();
    EXPECT_NEAR(before, std::log(11.0), 0.05);  // small weights: all tokens about equally likely
    for (int step = 1; step <= 100; ++step) session.step(step);
    // The best possible loss is log 2 = 0.693, the entropy of the coin.
    EXPECT_LT(session.evaluate(), 0.80);
    EXPECT_GT(session.evaluate(), 0.60);
}

INSTANTIATE_TEST_SUITE_P(Precisions, TrainingSessionIn,
                         testing::Values(DType::kF32, DType::kF64, DType::kBF16),
                         [](const auto& precision) {
                             return std::string(name_of(precision.param));
                         });

/// The CPU, but with all weights in rows.
class RowsDevice : public ForwardingDevice {
  public:
    MemoryLayout weight_layout(DType) const override { return MemoryLayout::kRows; }
};

int weights_in_panels(const TrainingSession& session) {
    int count = 0;
    for (const Value& value : session.training_graph().graph.values())
        count += value.type.layout == MemoryLayout::kPanels ? 1 : 0;
    return count;
}

/// AdamW writes them, forward and backward products read them, and all are the same products.
TEST(TrainingSession, WeightsInPanelsGiveTheLossesOfThoseInRowsBitForBit) {
    if (!AmxProduct::usable()) GTEST_SKIP() << "only tiles of bfloat16 read panels";
    Job job = small_job(DType::kBF16);
    job.train.grad_accum = 2;
    job.model.vocab_size = 64;  // of whole panels: the tied head's, too
    const CountingTokens data(job.model.vocab_size);
    const auto device = make_cpu_device();
    RowsDevice plain;
    TrainingSession panels(job, data, *device), rows(job, data, plain);
    EXPECT_EQ(weights_in_panels(panels), 6 * job.model.n_layer + 1);
    EXPECT_EQ(weights_in_panels(rows), 0);
    panels.initialize();
    rows.initialize();
    EXPECT_EQ(panels.evaluate(), rows.evaluate());
    for (int step = 1; step <= 20; ++step)
        EXPECT_EQ(panels.step(step).loss, rows.step(step).loss) << step;
    EXPECT_EQ(panels.evaluate(), rows.evaluate());
}

/// A CPU whose operators tell no norms.
class SilentDevice : public ForwardingDevice {
  public:
    bool tells_norms() const override { return false; }
};

size_t told_gradients(const TrainingSession& session) {
    const auto& values = session.training_graph().graph.values();
    return static_cast<size_t>(std::count_if(values.begin(), values.end(), [](const Value& value) {
        return value.name.ends_with(".squared_norm");
    }));
}

/// Matrices, and the table that is also the head, tell theirs; the rest is read.
TEST_P(TrainingSessionIn, TakesTheNormThatGradientsTell) {
    Job job = small_job(GetParam());
    job.train.grad_clip = 0.05;  // so that the norm matters
    const CountingTokens data(job.model.vocab_size);
    const auto device = make_cpu_device();
    SilentDevice silent;
    TrainingSession telling(job, data, *device), reading(job, data, silent);
    EXPECT_EQ(told_gradients(telling), static_cast<size_t>(6 * job.model.n_layer + 1));
    EXPECT_EQ(told_gradients(reading), 0U);
    telling.initialize();
    reading.initialize();
    for (int step = 1; step <= 10; ++step) {
        const StepResult told = telling.step(step), read = reading.step(step);
        EXPECT_NEAR(told.grad_norm, read.grad_norm, 1e-9 * read.grad_norm) << step;
        EXPECT_NEAR(told.loss, read.loss, 1e-6) << step;
    }
    job.train.grad_accum = 2;  // would be measured twice a step
    EXPECT_EQ(told_gradients(TrainingSession(job, data, *device)), 0U);
}

TEST(TrainingSession, RepeatsTheSameLossesBitForBit) {
    const Job job = small_job();
    EXPECT_EQ(losses_of(job, 12), losses_of(job, 12));
}

TEST(TrainingSession, DoesNotDependOnTheNumberOfThreads) {
    const Job job = small_job();
    const std::vector<double> with_all = losses_of(job, 8);
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const std::vector<double> with_one = losses_of(job, 8);
    omp_set_num_threads(threads);
    // The products' own sums may be cut differently, so not to the last bit.
    for (size_t i = 0; i < with_all.size(); ++i) EXPECT_NEAR(with_all[i], with_one[i], 1e-5);
}

TEST(TrainingSession, ContinuesACheckpointBitForBit) {
    Job job = small_job();
    job.train.dropout = 0.1;
    job.train.grad_accum = 2;
    const std::vector<double> uninterrupted = losses_of(job, 12);
    const TemporaryFolder folder;
    const CountingTokens data(job.model.vocab_size);
    const auto device = make_cpu_device();
    {
        TrainingSession session(job, data, *device);
        session.initialize();
        for (int step = 1; step <= 5; ++step) session.step(step);
        CheckpointMetadata metadata;
        metadata.config_json = "{}";
        metadata.step = 5;
        session.save(folder.path(), metadata);
    }
    TrainingSession resumed(job, data, *device);
    ASSERT_EQ(resumed.restore(checkpoint_files(folder.path(), 5)), 5);
    for (int step = 6; step <= 12; ++step)
        EXPECT_EQ(resumed.step(step).loss, uninterrupted[static_cast<size_t>(step - 1)]);
}

TEST(TrainingSession, AllocatesNothingInsideAStep) {
    if (kThreadSanitizer) GTEST_SKIP() << "nothing is counted with its allocator";
    for (const DType precision : {DType::kF32, DType::kF64}) {
        const Job job = small_job(precision);
        const CountingTokens data(job.model.vocab_size);
        const auto device = make_cpu_device();
        TrainingSession session(job, data, *device);
        session.initialize();
        session.step(1);  // the products' libraries set themselves up
        const int64_t before = allocation_count();
        ASSERT_GT(before, 100);  // building the session did allocate: the counter works
        session.step(2);
        EXPECT_EQ(allocation_count(), before) << name_of(precision);
    }
}

TEST(TrainingSession, AllocatesExactlyThePredictedBytes) {
    const Job job = small_job();
    const CountingTokens data(job.model.vocab_size);
    const auto device = make_cpu_device();
    const TrainingSession session(job, data, *device);
    const MemoryLedger predicted = predict_memory(job).training;
    EXPECT_EQ(session.executor().allocated_bytes(), predicted.total);
    EXPECT_EQ(predicted.total, predicted.weights + predicted.gradients + predicted.optimizer +
                                   predicted.inputs_and_results + predicted.activations +
                                   predicted.workspace);
    EXPECT_EQ(predicted.optimizer, 2 * predicted.weights);
}

TEST(TrainingSession, NamesTheFirstOperatorThatWasNotFinite) {
    const Job job = small_job();
    const CountingTokens data(job.model.vocab_size);
    const auto device = make_cpu_device();
    TrainingSession session(job, data, *device);
    session.initialize();
    session.step(1);
    const ValueId weight = session.training_graph().graph.find("h.1.mlp.up.weight");
    std::vector<float> values(32 * 64, std::nanf(""));
    session.executor().write(weight, std::as_bytes(std::span(values)));
    try {
        session.step(2);
        FAIL() << "a weight that is not a number went unnoticed";
    } catch (const NonFiniteError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("step 2"));
        EXPECT_THAT(error.what(), testing::HasSubstr("h.1.mlp.up (linear)"));
    }
}

TEST(TrainingSession, LeavesTheWeightsAloneWhenAGradientIsNotFinite) {
    Job job = small_job();
    job.train.lr = 1e30;  // the first update throws the weights far away
    job.train.warmup_steps = 0;
    job.train.grad_clip = 0;
    const CountingTokens data(job.model.vocab_size);
    const auto device = make_cpu_device();
    TrainingSession session(job, data, *device);
    session.initialize();
    EXPECT_THROW(
        {
            for (int step = 1; step <= 20; ++step) session.step(step);
        },
        NonFiniteError);
}

TEST(TrainingSession, RefusesDataWithMoreTokensThanTheModel) {
    Job job = small_job();
    const CountingTokens data(job.model.vocab_size + 1);
    EXPECT_THROW(resolve_vocab_size(job, data), UserError);
    job.model.vocab_size = 0;
    resolve_vocab_size(job, data);
    EXPECT_EQ(job.model.vocab_size, 12);
}

TEST(InitialWeights, AreEqualWhereTwoVariantsHaveThemInCommon) {
    ParameterSpec full{"h.1.attn.v.weight", {6, 12}, ParameterRole::kValue, 1, 0.02};
    ParameterSpec half = full;
    half.shape = {6, 8};
    std::vector<double> all(72), own(48);
    fill_initial(full, 5, std::span<double>(all));
    fill_initial(half, 5, std::span<double>(own));
    for (size_t row = 0; row < 6; ++row)
        for (size_t column = 0; column < 8; ++column)
            EXPECT_EQ(own[row * 8 + column], all[row * 12 + column]);
    fill_initial(full, 6, std::span<double>(all));
    EXPECT_NE(own[0], all[0]);
}

TEST(InitialWeights, AreNormalWithTheGivenDeviation) {
    const ParameterSpec spec{"wte.weight", {1000, 100}, ParameterRole::kEmbedding, -1, 0.02};
    std::vector<double> values(100000);
    fill_initial(spec, 1, std::span<double>(values));
    double sum = 0, squares = 0, beyond_two = 0;
    for (const double value : values) {
        sum += value;
        squares += value * value;
        beyond_two += std::abs(value) > 0.04 ? 1 : 0;
    }
    EXPECT_NEAR(sum / 1e5, 0, 0.0003);
    EXPECT_NEAR(std::sqrt(squares / 1e5), 0.02, 0.0002);
    EXPECT_NEAR(beyond_two / 1e5, 0.0455, 0.003);
}

}  // namespace
}  // namespace headroom
