// Training runs on the CUDA device: the same bits again, after a resume and from recorded graphs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/train/training_session.h"
#include "tests/core/model/architectures.h"
#include "tests/core/train/test_data.h"
#include "tests/cuda/tested_device.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

/// Small, since tensor cores are slow where they are emulated.
Job job_in(DType precision) {
    Job job = small_job(R"({"n_layer": 2, "n_head": 2})");
    job.train.batch_size = 1;
    job.precision = precision;
    job.train.grad_accum = 2;
    job.train.dropout = 0.1;
    job.train.eval_batches = 2;
    return job;
}

/// Loss and norm of each step up to `last`, then the loss of an evaluation.
std::vector<double> run(TrainingSession& session, int first, int last) {
    std::vector<double> numbers;
    for (int step = first; step <= last; ++step) {
        const StepResult result = session.step(step);
        numbers.push_back(result.loss);
        numbers.push_back(result.grad_norm);
    }
    numbers.push_back(session.evaluate());
    return numbers;
}

class CudaTraining : public testing::TestWithParam<DType> {
  protected:
    void SetUp() override {
        std::string why_not;
        device_ = tested_cuda_device(why_not);
        if (!device_) GTEST_SKIP() << why_not;
    }
    std::vector<double> train(int last, bool eager = false) {
        TrainingSession session(job_, data_, *device_);
        session.executor().set_timing(eager);
        session.initialize();
        return run(session, 1, last);
    }

    const Job job_ = job_in(GetParam());
    const CountingTokens data_{job_.model.vocab_size};
    std::unique_ptr<Device> device_;
};

TEST_P(CudaTraining, GivesTheSameBitsTwice) {
    EXPECT_EQ(train(4), train(4));
}

TEST_P(CudaTraining, GivesTheSameBitsFromGraphsAndKernelByKernel) {
    EXPECT_EQ(train(4), train(4, true));
}

TEST_P(CudaTraining, GivesTheSameBitsAfterAResume) {
    const std::vector<double> uninterrupted = train(6);
    const TemporaryFolder folder;
    {
        TrainingSession session(job_, data_, *device_);
        session.initialize();
        run(session, 1, 2);
        CheckpointMetadata metadata;
        metadata.config_json = "{}";
        metadata.step = 2;
        session.save(folder.path(), metadata);
    }
    TrainingSession resumed(job_, data_, *device_);
    ASSERT_EQ(resumed.restore(checkpoint_files(folder.path(), 2)), 2);
    const std::vector<double> rest = run(resumed, 3, 6);
    EXPECT_EQ(rest,
              std::vector<double>(uninterrupted.end() - std::ssize(rest), uninterrupted.end()));
}

/// Micro-batches with different numbers of masked tokens, from recorded graphs too.
TEST_P(CudaTraining, MasksAndTheirMeanAreThoseOfTheCpu) {
    Job job = job_;
    job.model.causal = false;
    job.train.objective = TrainingObjective::kMasked;
    job.train.mask_rate = 0.3;
    job.train.grad_accum = 3;
    job.train.dropout = 0;
    const CountingTokens data(job.model.vocab_size - 1);
    const auto numbers = [&](Device& device) {
        TrainingSession session(job, data, device);
        session.initialize();
        return run(session, 1, 4);
    };
    const std::vector<double> here = numbers(*device_), there = numbers(*make_cpu_device());
    const double tolerance = GetParam() == DType::kF32 ? 1e-4 : 5e-2;
    for (size_t i = 0; i < there.size(); ++i)
        EXPECT_NEAR(here[i], there[i], tolerance * there[i]) << i;
}

TEST_P(CudaTraining, NamesDeviceAndLedgerWhereMemoryIsShort) {
    Job huge = job_;
    huge.train.batch_size = int64_t{1} << 26;  // terabytes
    const TrainingGraph training = build_training_graph(huge);
    try {
        device_->prepare(training.graph);
        FAIL() << "there was room";
    } catch (const EnvironmentError& error) {
        EXPECT_THAT(error.what(),
                    testing::MatchesRegex("not enough memory on .+, which has [0-9]+ bytes free, "
                                          ".+for [0-9]+ bytes .weights [0-9]+, gradients .+, "
                                          "optimizer .+, activations .+, workspace .+"));
    }
    train(1);  // which a small model does not mind
}

TEST_P(CudaTraining, ReadsPartsOfValues) {
    TrainingSession session(job_, data_, *device_);
    session.initialize();
    const ValueId weight = session.training_graph().graph.find("wte.weight");
    std::vector<std::byte> whole(
        static_cast<size_t>(session.training_graph().graph.value(weight).type.bytes()));
    session.executor().read(weight, whole);
    std::vector<std::byte> part(12);
    session.executor().read_part(weight, 20, part);
    EXPECT_EQ(part, std::vector<std::byte>(whole.begin() + 20, whole.begin() + 32));
    part.resize(whole.size());
    EXPECT_THROW(session.executor().read_part(weight, 4, part), InternalError);
}

TEST_P(CudaTraining, TimesOperatorsOverAllTheirLaunches) {
    TrainingSession session(job_, data_, *device_);
    session.initialize();
    session.executor().set_timing(true);
    run(session, 1, 2);
    const std::vector<OpTime> rows = session.executor().times();
    ASSERT_FALSE(rows.empty());
    for (size_t i = 0; i < rows.size(); ++i) {
        EXPECT_GT(rows[i].launches, 0) << rows[i].op;
        EXPECT_GE(rows[i].seconds, 0.0) << rows[i].op;
        if (i > 0) {
            EXPECT_LE(rows[i].seconds, rows[i - 1].seconds);
        }
    }
    const auto loss = std::find_if(rows.begin(), rows.end(), [](const OpTime& row) {
        return row.op == "linear_cross_entropy_with_gradient";
    });
    ASSERT_NE(loss, rows.end());
    EXPECT_EQ(loss->launches, 2 * 2);  // steps and micro-batches
    EXPECT_GT(loss->seconds, 0.0);
    EXPECT_GT(loss->cost.flops, 0.0);
    session.executor().set_timing(false);
    run(session, 3, 3);
    EXPECT_TRUE(session.executor().times().empty());
}

TEST_P(CudaTraining, NamesTheFirstOperatorThatWasNotFinite) {
    TrainingSession session(job_, data_, *device_);
    session.initialize();
    run(session, 1, 3);  // what follows meets recorded graphs
    const ValueId weight = session.training_graph().graph.find("h.1.mlp.up.weight");
    const std::vector<std::byte> nan(
        static_cast<size_t>(session.training_graph().graph.value(weight).type.bytes()),
        std::byte{0xff});
    session.executor().write(weight, nan);
    session.executor().run(Phase::kPrepare, {});
    try {
        session.step(4);
        FAIL() << "a weight that is not a number went unnoticed";
    } catch (const NonFiniteError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("step 4"));
        EXPECT_THAT(error.what(), testing::HasSubstr("h.1.mlp.up (linear)"));
    }
}

INSTANTIATE_TEST_SUITE_P(Precisions, CudaTraining,
                         testing::Values(DType::kF32, DType::kBF16, DType::kF64),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

}  // namespace
}  // namespace headroom
