// What bfloat16 costs: a run beside the CPU's in float32, of 200 steps on a device and of a few
// where attention's tensor cores are emulated.
#include <cmath>

#include <gtest/gtest.h>

#include "core/train/training_session.h"
#include "tests/core/model/architectures.h"
#include "tests/core/train/test_data.h"
#include "tests/cuda/tested_device.h"

namespace headroom {
namespace {

int steps_looked_at() {
    return tested_device_is_emulated() ? 12 : 200;
}

std::vector<double> losses_of(const Job& job, Device& device) {
    const CountingTokens data(job.model.vocab_size);
    TrainingSession session(job, data, device);
    session.initialize();
    std::vector<double> losses;
    for (int step = 1; step <= job.train.steps; ++step) losses.push_back(session.step(step).loss);
    return losses;
}

class CudaCurve : public testing::TestWithParam<const char*> {};

TEST_P(CudaCurve, StaysWithinHalfAPercentOfFloat32) {
    std::string why_not;
    const auto cuda = tested_cuda_device(why_not);
    if (!cuda) GTEST_SKIP() << why_not;
    Job job = small_job(GetParam());
    job.train.steps = steps_looked_at();
    job.train.lr = 3e-3;
    job.train.warmup_steps = 0;
    job.train.batch_size = 4;
    job.precision = DType::kF32;
    const std::vector<double> expected = losses_of(job, *make_cpu_device());
    job.precision = DType::kBF16;
    const std::vector<double> actual = losses_of(job, *cuda);
    ASSERT_LT(expected.back(), 0.95 * expected.front());  // it has learned something
    for (size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(actual[i], expected[i], 5e-3 * expected[i]) << "step " << i + 1;
}

INSTANTIATE_TEST_SUITE_P(
    Models, CudaCurve,
    testing::Values(
        R"({"d_model": 32, "d_ff": 64, "vocab_size": 65, "n_layer": 2, "block_size": 16})",
        R"({"base": "llama", "d_model": 32, "d_ff": 64, "vocab_size": 65, "n_layer": 2})"));

}  // namespace
}  // namespace headroom
