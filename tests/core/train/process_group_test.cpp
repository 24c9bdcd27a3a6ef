// Data parallel training: several processes (threads here) compute what one would.
#include <cmath>
#include <mutex>
#include <set>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/train/group_protocol.h"
#include "core/train/training_session.h"
#include "tests/core/model/architectures.h"
#include "tests/core/train/test_data.h"
#include "tests/support/forwarding_device.h"
#include "tests/support/thread_group.h"

namespace headroom {
namespace {

struct Trained {
    std::vector<double> losses, norms;
    std::vector<double> accuracies;  ///< of images
    std::vector<uint64_t> hashes;
    double val = 0, val_accuracy = 0;
    std::vector<double> routers;
};

Trained train(const Job& job, const DataSource& data, ProcessGroup& group) {
    const auto device = make_cpu_device();
    TrainingSession session(job, data, *device, group);
    session.initialize();
    session.broadcast_state();
    Trained trained;
    for (int step = 1; step <= 5; ++step) {
        const StepResult result = session.step(step);
        trained.losses.push_back(result.loss);
        trained.norms.push_back(result.grad_norm);
        if (job.model.reads_images()) trained.accuracies.push_back(result.accuracy);
        trained.hashes.push_back(result.batch_hash);
    }
    const LossSum sum = session.evaluate_sum();
    trained.val = sum.mean();
    trained.val_accuracy = sum.accuracy();
    trained.routers = sum.router_means();
    return trained;
}

Job job_of(int64_t batch_size, int64_t grad_accum) {
    Job job = small_job("{}");
    job.train.batch_size = batch_size;
    job.train.grad_accum = grad_accum;
    job.train.eval_batches = 5;
    return job;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-12 * std::abs(b[i]));
}

struct Sharing {
    int processes;
    int64_t batch_size, grad_accum;
};

class TogetherAs : public testing::TestWithParam<Sharing> {};

TEST_P(TogetherAs, LossesNormsAndBatchesAreThoseOfOneProcess) {
    const Sharing& sharing = GetParam();
    const Job job = job_of(sharing.batch_size, sharing.grad_accum);
    const CountingTokens data(job.model.vocab_size);
    const Trained alone = train(job, data, solo_group());
    std::mutex mutex;
    int finished = 0;
    ThreadGroup::run(sharing.processes, [&](ProcessGroup& group) {
        const Trained together = train(job, data, group);
        const std::lock_guard lock(mutex);
        ++finished;
        expect_near(together.losses, alone.losses);
        expect_near(together.norms, alone.norms);
        EXPECT_EQ(together.hashes, alone.hashes);
        EXPECT_NEAR(together.val, alone.val, 1e-12);
    });
    EXPECT_EQ(finished, sharing.processes);
}

TEST_P(TogetherAs, AccuraciesOfImagesAreThoseOfOneProcess) {
    const Sharing& sharing = GetParam();
    Job job = small_image_job(R"({"bias": true})");
    job.train.batch_size = sharing.batch_size;
    job.train.grad_accum = sharing.grad_accum;
    job.train.eval_batches = 5;
    const BrightPatch data(job.model.vocab_size);
    const Trained alone = train(job, data, solo_group());
    EXPECT_GT(alone.val_accuracy, 0.0);
    std::mutex mutex;
    ThreadGroup::run(sharing.processes, [&](ProcessGroup& group) {
        const Trained together = train(job, data, group);
        const std::lock_guard lock(mutex);
        expect_near(together.losses, alone.losses);
        expect_near(together.norms, alone.norms);
        expect_near(together.accuracies, alone.accuracies);
        EXPECT_EQ(together.hashes, alone.hashes);
        EXPECT_NEAR(together.val, alone.val, 1e-12);
        EXPECT_NEAR(together.val_accuracy, alone.val_accuracy, 1e-12);
    });
}

INSTANTIATE_TEST_SUITE_P(Every, TogetherAs,
                         testing::Values(Sharing{2, 4, 1}, Sharing{2, 2, 4}, Sharing{3, 3, 2},
                                         Sharing{4, 1, 4}, Sharing{6, 2, 6}));

TEST(DataParallelShard, AStepThatCannotBeSharedEvenlyIsRefused) {
    const Job job = job_of(3, 1);
    const CountingTokens data(job.model.vocab_size);
    std::mutex mutex;
    ThreadGroup::run(2, [&](ProcessGroup& group) {
        const std::lock_guard lock(mutex);
        EXPECT_THROW(DataParallelShard(job, data, group), UserError);
    });
}

TEST(DataParallelShard, ExpertsAreBalancedOverWholeMicroBatches) {
    Job job = job_of(4, 1);
    job.model = small_job(R"({"mlp_experts": 3})").model;
    const CountingTokens data(job.model.vocab_size);
    Job apart = job, several = job;
    apart.model.mlp_balance = 0;
    apart.model.mlp_z = 0.1;
    several.train.batch_size = 2;
    several.train.grad_accum = 2;
    const Trained alone = train(several, data, solo_group());
    std::mutex mutex;
    ThreadGroup::run(2, [&](ProcessGroup& group) {
        const Trained together = train(several, data, group);
        const std::lock_guard lock(mutex);
        EXPECT_THROW(DataParallelShard(job, data, group), UserError);
        EXPECT_NO_THROW(DataParallelShard(apart, data, group));
        expect_near(together.losses, alone.losses);
        expect_near(together.norms, alone.norms);
        EXPECT_EQ(together.routers.size(), alone.routers.size());
        for (size_t i = 0; i < alone.routers.size(); ++i)
            EXPECT_NEAR(together.routers[i], alone.routers[i], 1e-12);
    });
}

/// Leaves out some targets of the first row only.
class UnevenTargets : public CountingTokens {
  public:
    using CountingTokens::CountingTokens;
    void train_batch(int64_t step, int64_t micro, Batch& batch) const override {
        CountingTokens::train_batch(step, micro, batch);
        batch.targets()[0] = kIgnoredTarget;
    }
};

TEST(DataParallelShard, RowsWithDifferentNumbersOfTargetsAreRefusedButWholeMicroBatchesAreNot) {
    std::mutex mutex;
    for (const int64_t grad_accum : {1, 2}) {
        const Job job = job_of(2, grad_accum);
        const UnevenTargets data(job.model.vocab_size);
        ThreadGroup::run(2, [&](ProcessGroup& group) {
            const std::lock_guard lock(mutex);
            const DataParallelShard share(job, data, group);
            const TrainConfig& own = share.job().train;
            const auto fetch = [&] {
                Batch batch = Batch::of_tokens(own.batch_size, own.seq_len);
                share.train_batch(1, 0, batch);
            };
            if (grad_accum == 1)
                EXPECT_THROW(fetch(), UserError);
            else
                EXPECT_NO_THROW(fetch());
        });
    }
}

TEST(DataParallelShard, EveryEvaluationBatchIsTakenOnce) {
    Job job = job_of(1, 3);
    job.train.eval_batches = 7;
    const CountingTokens data(job.model.vocab_size);
    std::mutex mutex;
    int64_t batches = 0;
    ThreadGroup::run(3, [&](ProcessGroup& group) {
        const std::lock_guard lock(mutex);
        batches += DataParallelShard(job, data, group).job().train.eval_batches;
    });
    EXPECT_EQ(batches, 7);
}

TEST(GroupProtocol, AProcessWithAnotherJobIsRefused) {
    std::mutex mutex;
    int refused = 0;
    ThreadGroup::run(2, [&](ProcessGroup& group) {
        Job job = job_of(2, 1);
        job.train.lr = group.rank() == 0 ? 1e-3 : 2e-3;
        const CountingTokens data(job.model.vocab_size);
        try {
            check_same_work(group, job, data);
        } catch (const UserError&) {
            const std::lock_guard lock(mutex);
            refused += group.rank() == 1 ? 1 : 100;
        }
    });
    EXPECT_EQ(refused, 1);
}

/// A device by its kind alone.
class NamedDevice : public ForwardingDevice {
  public:
    explicit NamedDevice(std::string_view kind) : kind_(kind) {}
    std::string_view kind() const override { return kind_; }

  private:
    std::string_view kind_;
};

/// What every process of a group on these devices is told, if all are told the same; "" for
/// nothing.
std::string told_on(const std::vector<std::string_view>& kinds) {
    std::mutex mutex;
    std::set<std::string> told;
    ThreadGroup::run(static_cast<int>(kinds.size()), [&](ProcessGroup& group) {
        std::string text;
        try {
            check_same_kind(group, NamedDevice(kinds[static_cast<size_t>(group.rank())]));
        } catch (const UserError& error) {
            text = error.what();
        }
        const std::lock_guard lock(mutex);
        told.insert(text);
    });
    return told.size() == 1 ? *told.begin() : "not all the same";
}

TEST(GroupProtocol, ProcessesOnOtherKindsOfDevicesAreRefused) {
    EXPECT_EQ(told_on({"cpu", "cpu"}), "");
    EXPECT_EQ(told_on({"cuda", "cuda", "cuda"}), "");
    EXPECT_EQ(told_on({"cuda", "cpu", "cuda"}).find("1 of the 3 processes found no CUDA"), 0u);
}

}  // namespace
}  // namespace headroom
