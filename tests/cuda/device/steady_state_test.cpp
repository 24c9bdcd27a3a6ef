// What the host asks of the device in a step once everything is recorded (emulated: it counts).
#include <gtest/gtest.h>

#include "core/train/training_session.h"
#include "tests/core/model/architectures.h"
#include "tests/core/train/test_data.h"
#include "tests/cuda/emulation/emulated_device.h"
#include "tests/cuda/emulation/emulated_runtime.h"

namespace headroom {
namespace {

class SteadyState : public testing::TestWithParam<Architecture> {};

TEST_P(SteadyState, PlaysGraphsAndWaitsOnceForEachNumber) {
    Job job = small_job(GetParam().keys);
    job.train.grad_accum = 3;
    const CountingTokens data(job.model.vocab_size);
    const auto device = make_emulated_cuda_device();
    TrainingSession session(job, data, *device);
    session.initialize();
    for (int step = 1; step <= 2; ++step) session.step(step);
    const EmulatedCounts before = emulated_counts();
    session.step(3);
    const EmulatedCounts after = emulated_counts();
    EXPECT_EQ(after.launches, before.launches);
    EXPECT_EQ(after.graphs, before.graphs);
    EXPECT_EQ(after.device_bytes, before.device_bytes);
    EXPECT_LE(after.waits - before.waits, 3 + 1);  // a loss each, and the norm
}

INSTANTIATE_TEST_SUITE_P(Every, SteadyState, testing::ValuesIn(architectures_to_test()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace headroom
