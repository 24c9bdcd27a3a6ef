#include "cuda/device/phase_recorder.h"

#include <gtest/gtest.h>

#include "cuda/device/check.h"
#include "cuda/device/device_memory.h"
#include "cuda/device/stream.h"
#include "tests/cuda/emulation/emulated_runtime.h"

namespace headroom::cuda {
namespace {

constexpr PhaseRun kForward{Phase::kForward, true};

/// A phase of one kernel that adds 1 to a number on the device.
class Counter {
  public:
    void run(PhaseRecorder& recorder, PhaseRun which = kForward) {
        recorder.run(which, stream_.get(), [this] {
            ++launched_;
            auto* number = reinterpret_cast<int*>(memory_.data());
            emulate_launch(stream_.get(), [number] { ++*number; });
        });
    }
    void clear() {
        check(cudaMemsetAsync(memory_.data(), 0, sizeof(int), stream_.get()), "clear memory");
    }
    int number() const {
        stream_.wait();
        return *reinterpret_cast<const int*>(memory_.data());
    }
    int launched() const { return launched_; }
    const Stream& stream() const { return stream_; }

  private:
    Stream stream_;
    DeviceMemory memory_{sizeof(int)};
    int launched_ = 0;
};

TEST(PhaseRecorder, LaunchesTwiceAndPlaysFromTheSecondRunOn) {
    Counter counter;
    counter.clear();
    PhaseRecorder recorder;
    const EmulatedCounts before = emulated_counts();
    for (int run = 1; run <= 5; ++run) {
        counter.run(recorder);
        EXPECT_EQ(counter.number(), run);
    }
    EXPECT_EQ(counter.launched(), 2);  // the first run, and the recording of the second
    EXPECT_EQ(emulated_counts().graphs - before.graphs, 1);
    EXPECT_EQ(emulated_counts().graph_launches - before.graph_launches, 4);
}

TEST(PhaseRecorder, KeepsPhasesAndMicroBatchesApart) {
    Counter counter;
    counter.clear();
    PhaseRecorder recorder;
    const EmulatedCounts before = emulated_counts();
    for (int run = 0; run < 3; ++run) {
        counter.run(recorder, {Phase::kBackward, true});
        counter.run(recorder, {Phase::kBackward, false});
        counter.run(recorder, {Phase::kDecode, true});
    }
    EXPECT_EQ(counter.number(), 9);
    EXPECT_EQ(emulated_counts().graphs - before.graphs, 3);
}

TEST(PhaseRecorder, GoesOnKernelByKernelWhereAStreamRefuses) {
    const NoGraphs refused;
    Counter counter;
    counter.clear();
    PhaseRecorder recorder;
    for (int run = 1; run <= 4; ++run) counter.run(recorder);
    EXPECT_EQ(counter.number(), 4);
    EXPECT_NE(recorder.problem().find("record a graph"), std::string::npos) << recorder.problem();
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);  // the next kernel is not blamed
}

TEST(PhaseRecorder, SurvivesAKernelThatWaits) {
    Counter counter;
    counter.clear();
    PhaseRecorder recorder;
    const auto waiting = [&] {
        counter.stream().wait();
        counter.run(recorder, {Phase::kUpdate, true});
    };
    const EmulatedCounts before = emulated_counts();
    for (int run = 0; run < 3; ++run) recorder.run(kForward, counter.stream().get(), waiting);
    EXPECT_FALSE(recorder.problem().empty());
    EXPECT_EQ(counter.number(), 3);
    EXPECT_EQ(emulated_counts().graphs - before.graphs, 1);  // of the inner phase alone
}

}  // namespace
}  // namespace headroom::cuda
