// Several processes (threads here) with a CUDA device each train one job.
#include <cmath>
#include <mutex>

#include <gtest/gtest.h>

#include "core/train/training_session.h"
#include "tests/core/model/architectures.h"
#include "tests/core/train/test_data.h"
#include "tests/cuda/emulation/emulated_device.h"
#include "tests/cuda/emulation/fake_nccl.h"
#include "tests/support/thread_group.h"

namespace headroom {
namespace {

struct TrainedTogether {
    std::vector<double> losses, norms;
    double val = 0;
};

Job job_of(int64_t batch_size, int64_t grad_accum, DType precision) {
    Job job = small_job("{}");
    job.precision = precision;
    job.train.batch_size = batch_size;
    job.train.grad_accum = grad_accum;
    job.train.eval_batches = 5;
    return job;
}

TrainedTogether train(const Job& job, ProcessGroup& group) {
    const CountingTokens data(job.model.vocab_size);
    const auto device = make_emulated_cuda_device();
    TrainingSession session(job, data, *device, group);
    session.initialize();
    session.broadcast_state();
    TrainedTogether trained;
    for (int step = 1; step <= 4; ++step) {
        const StepResult result = session.step(step);
        trained.losses.push_back(result.loss);
        trained.norms.push_back(result.grad_norm);
    }
    trained.val = session.evaluate();
    return trained;
}

struct Sharing {
    int processes;
    int64_t batch_size, grad_accum;
    DType precision;
    double tolerance;
};

class CudaTogether : public testing::TestWithParam<Sharing> {};

TEST_P(CudaTogether, LossesAreThoseOfOneDevice) {
    const Sharing& sharing = GetParam();
    const Job job = job_of(sharing.batch_size, sharing.grad_accum, sharing.precision);
    const TrainedTogether alone = train(job, solo_group());
    const int before = fake_nccl::sums();
    std::mutex mutex;
    std::vector<TrainedTogether> all;
    ThreadGroup::run(sharing.processes, [&](ProcessGroup& group) {
        const TrainedTogether together = train(job, group);
        const std::lock_guard lock(mutex);
        all.push_back(together);
    });
    ASSERT_EQ(all.size(), static_cast<size_t>(sharing.processes));
    for (const TrainedTogether& together : all) {
        EXPECT_EQ(together.norms, all[0].norms);  // the same bits on all
        for (size_t i = 0; i < alone.losses.size(); ++i) {
            EXPECT_NEAR(together.losses[i], alone.losses[i], sharing.tolerance);
            EXPECT_NEAR(together.norms[i], alone.norms[i], sharing.tolerance);
        }
        EXPECT_NEAR(together.val, alone.val, sharing.tolerance);
    }
    EXPECT_EQ(fake_nccl::sums() - before, 4 * sharing.processes);  // one a step
}

INSTANTIATE_TEST_SUITE_P(Every, CudaTogether,
                         testing::Values(Sharing{2, 2, 4, DType::kF64, 1e-12},
                                         Sharing{3, 3, 1, DType::kF64, 1e-12},
                                         Sharing{2, 4, 2, DType::kF32, 1e-5},
                                         Sharing{2, 2, 2, DType::kBF16, 1e-2}));

TEST(CudaTogether, MeansAreThoseThatGoThroughTheHost) {
    const Job job = job_of(2, 1, DType::kF32);
    const CountingTokens data(job.model.vocab_size);
    std::mutex mutex;
    ThreadGroup::run(2, [&](ProcessGroup& group) {
        const auto device = make_emulated_cuda_device();
        TrainingSession session(job, data, *device, group);
        std::vector<ValueId> gradients;
        for (const GraphParameter& parameter : session.training_graph().parameters)
            gradients.push_back(parameter.gradient);
        const auto after = [&](auto&& average) {
            std::vector<float> all;
            for (const ValueId id : gradients) {
                std::vector<float> numbers(
                    static_cast<size_t>(session.executor().graph().value(id).type.count()));
                for (size_t i = 0; i < numbers.size(); ++i)
                    numbers[i] = static_cast<float>(std::sin(id + group.rank() + 0.1 * i));
                session.executor().write(id, std::as_bytes(std::span(numbers)));
            }
            average();
            for (const ValueId id : gradients) {
                std::vector<float> numbers(
                    static_cast<size_t>(session.executor().graph().value(id).type.count()));
                session.executor().read(id, std::as_writable_bytes(std::span(numbers)));
                all.insert(all.end(), numbers.begin(), numbers.end());
            }
            return all;
        };
        const auto on_host =
            after([&] { session.executor().Executor::all_reduce_mean(gradients, group); });
        const auto on_device = after([&] { session.executor().all_reduce_mean(gradients, group); });
        const std::lock_guard lock(mutex);
        EXPECT_EQ(on_device, on_host);  // halves are exact
    });
}

}  // namespace
}  // namespace headroom
