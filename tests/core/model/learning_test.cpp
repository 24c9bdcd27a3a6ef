#include <numeric>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/device/device.h"
#include "core/train/training_session.h"
#include "tests/core/model/architectures.h"
#include "tests/core/train/test_data.h"

// Every architecture learns: one hundred steps on sequences in which the next token is this one
// plus 1 or 2, so that ln 2 is the best loss.

namespace headroom {
namespace {

constexpr int64_t kSteps = 100;

Job learning_job(const Architecture& architecture) {
    nlohmann::json model{{"d_model", 16}, {"d_ff", 32}, {"block_size", 12}};
    model.update(nlohmann::json::parse(architecture.keys));
    if (architecture.needs_large_weights)
        model.update({{"init_std", 0.5}, {"init_residual_scale", false}});
    Job job = small_job(model.dump());
    job.precision = DType::kF32;
    job.train.batch_size = 8;
    job.train.seq_len = 12;
    job.train.steps = kSteps;
    job.train.warmup_steps = 10;
    job.train.lr = 1e-2;
    job.train.min_lr = 1e-3;
    return job;
}

class Learning : public testing::TestWithParam<Architecture> {};

TEST_P(Learning, LossFallsWithinAHundredSteps) {
    const Job job = learning_job(GetParam());
    const CountingTokens data(job.model.vocab_size);
    const auto device = make_cpu_device();
    TrainingSession session(job, data, *device);
    session.initialize();
    std::vector<double> losses;
    for (int64_t step = 1; step <= kSteps; ++step) losses.push_back(session.step(step).loss);
    const auto mean = [](auto first, auto last) {
        return std::accumulate(first, last, 0.0) / static_cast<double>(last - first);
    };
    const double before = mean(losses.begin(), losses.begin() + 5);
    const double after = mean(losses.end() - 10, losses.end());
    EXPECT_LT(after, before - 0.3) << "from " << before << " to " << after;
}

INSTANTIATE_TEST_SUITE_P(Architectures, Learning, testing::ValuesIn(architectures_to_test()),
                         [](const auto& architecture) { return architecture.param.name; });

}  // namespace
}  // namespace headroom
