// A device whose memory does not suffice says so in one line, and goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/model/model_graph.h"
#include "core/train/training_session.h"
#include "cuda/device/arena.h"
#include "tests/core/model/architectures.h"
#include "tests/core/train/test_data.h"
#include "tests/cuda/emulation/emulated_device.h"
#include "tests/cuda/emulation/emulated_runtime.h"

namespace headroom {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string refusal(Device& device, const Graph& graph) {
    try {
        device.prepare(graph);
    } catch (const EnvironmentError& error) {
        return error.what();
    }
    return "";
}

TEST(CudaMemory, NamesDeviceFreeBytesAndLedgerWhereItIsShort) {
    const auto device = make_emulated_cuda_device();
    const TrainingGraph training = build_training_graph(small_job("{}"));
    const MemoryLedger ledger = device->prepare(training.graph)->plan().ledger;
    const ScarceMemory scarce(4096);
    const std::string text = refusal(*device, training.graph);
    EXPECT_THAT(text,
                AllOf(HasSubstr("emulated"), HasSubstr("4096 bytes free"),
                      HasSubstr("536870912 of them kept"), HasSubstr(std::to_string(ledger.total)),
                      HasSubstr("weights " + std::to_string(ledger.weights)),
                      HasSubstr("gradients " + std::to_string(ledger.gradients)),
                      HasSubstr("optimizer " + std::to_string(ledger.optimizer)),
                      HasSubstr("activations " + std::to_string(ledger.activations)),
                      HasSubstr("workspace " + std::to_string(ledger.workspace)),
                      HasSubstr("train.batch_size"), Not(HasSubstr("\n"))));
}

TEST(CudaMemory, KeepsAReserveBesideTheArena) {
    const auto device = make_emulated_cuda_device();
    const TrainingGraph training = build_training_graph(small_job("{}"));
    const auto arena = static_cast<size_t>(device->prepare(training.graph)->allocated_bytes());
    const size_t rest = size_t{16} << 20;  // the staging ring and small tables
    const size_t reserve = size_t{512} << 20;
    {
        const ScarceMemory scarce(arena + reserve + rest);
        EXPECT_EQ(refusal(*device, training.graph), "");
    }
    const ScarceMemory scarce(arena + reserve - 1024);
    EXPECT_THAT(refusal(*device, training.graph), HasSubstr("536870912 of them kept"));
}

TEST(CudaMemory, ReservesAnEighthOfASmallDevice) {
    EXPECT_EQ(cuda::reserve_of(size_t{80} << 30), size_t{512} << 20);
    EXPECT_EQ(cuda::reserve_of(size_t{4} << 30), size_t{512} << 20);
    EXPECT_EQ(cuda::reserve_of(size_t{2} << 30), size_t{256} << 20);
}

TEST(CudaMemory, NamesThemWhereNoPieceIsLargeEnough) {
    const auto device = make_emulated_cuda_device();
    const TrainingGraph training = build_training_graph(small_job("{}"));
    const ScarceMemory scarce(size_t{1} << 30, true);
    EXPECT_THAT(
        refusal(*device, training.graph),
        AllOf(HasSubstr("emulated"), HasSubstr("1073741824 bytes free"), HasSubstr("weights ")));
}

TEST(CudaMemory, ARefusalHarmsNobodyElse) {
    const Job job = small_job("{}");
    const CountingTokens data(job.model.vocab_size);
    const auto device = make_emulated_cuda_device();
    TrainingSession session(job, data, *device);
    session.initialize();
    session.step(1);
    {
        const ScarceMemory scarce(1000, true);
        EXPECT_NE(refusal(*device, session.training_graph().graph), "");
    }
    EXPECT_NO_THROW(session.step(2));
}

TEST(CudaMemory, IsGivenBackWithTheExecutor) {
    const auto device = make_emulated_cuda_device();
    const TrainingGraph training = build_training_graph(small_job("{}"));
    const int64_t before = emulated_counts().device_bytes;
    {
        const auto executor = device->prepare(training.graph);
        EXPECT_GE(emulated_counts().device_bytes - before, executor->allocated_bytes());
    }
    EXPECT_EQ(emulated_counts().device_bytes, before);
}

TEST(CudaMemory, TheLedgerCountsKernelsAndProductsScratch) {
    const auto device = make_emulated_cuda_device();
    const TrainingGraph training = build_training_graph(small_job("{}"));
    const auto executor = device->prepare(training.graph);
    const MemoryLedger& ledger = executor->plan().ledger;
    EXPECT_EQ(executor->allocated_bytes(), ledger.total);
    EXPECT_GE(ledger.workspace, 1000);  // the emulated products'
    EXPECT_EQ(ledger.total, ledger.weights + ledger.gradients + ledger.optimizer +
                                ledger.inputs_and_results + ledger.activations + ledger.workspace);
}

}  // namespace
}  // namespace headroom
