// AdamW over all tensors at once against the nodes one by one: the same bits.
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "core/model/model_graph.h"
#include "tests/core/model/architectures.h"
#include "tests/cuda/tested_device.h"

namespace headroom {
namespace {

/// Has tensors of one, of several and of parts of pieces, that decay and that do not.
Job job_of(DType precision) {
    Job job = small_job(R"({"d_model": 36, "vocab_size": 300, "bias": true})");
    job.precision = precision;
    job.train.grad_clip = 0.5;
    job.train.weight_decay = 0.1;
    return job;
}

template <class T>
std::vector<std::byte> random_numbers(int64_t count, uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<std::byte> bytes(static_cast<size_t>(count) * sizeof(T));
    for (int64_t i = 0; i < count; ++i) {
        const auto x = static_cast<T>(static_cast<double>(random() % 2000 + 1) / 1000.0);
        std::memcpy(bytes.data() + static_cast<size_t>(i) * sizeof(T), &x, sizeof(T));
    }
    return bytes;
}

void write_numbers(Executor& executor, const TrainingGraph& training, double first_gradient) {
    uint32_t seed = 0;
    for (const GraphParameter& p : training.parameters)
        for (const ValueId id : {p.value, p.gradient, p.moment1, p.moment2}) {
            const TensorType& type = training.graph.value(id).type;
            executor.write(id, type.dtype == DType::kF64
                                   ? random_numbers<double>(type.count(), ++seed)
                                   : random_numbers<float>(type.count(), ++seed));
        }
    const GraphParameter& p = training.parameters.front();
    std::vector<std::byte> bytes(
        static_cast<size_t>(training.graph.value(p.gradient).type.bytes()));
    executor.read(p.gradient, bytes);
    const auto as_float = static_cast<float>(first_gradient);
    if (training.graph.value(p.gradient).type.dtype == DType::kF64)
        std::memcpy(bytes.data(), &first_gradient, sizeof(double));
    else
        std::memcpy(bytes.data(), &as_float, sizeof(float));
    executor.write(p.gradient, bytes);
}

class FusedUpdate : public testing::TestWithParam<DType> {
  protected:
    /// find_nonfinite runs the nodes one by one, run the fusions.
    void expect_same_bits(double first_gradient) {
        const TrainingGraph training = build_training_graph(job_of(GetParam()));
        std::string why_not;
        const auto device = tested_cuda_device(why_not);
        if (!device) GTEST_SKIP() << why_not;
        const auto fused = device->prepare(training.graph), plain = device->prepare(training.graph);
        const StepContext step{1, 5, 0, 0.01};
        for (Executor* executor : {fused.get(), plain.get()}) {
            write_numbers(*executor, training, first_gradient);
            executor->run(Phase::kPrepare, step);
        }
        fused->run(Phase::kUpdate, step);
        static_cast<void>(plain->find_nonfinite(Phase::kUpdate, step));
        for (const Node& node : training.graph.nodes()) {
            if (node.phase != Phase::kUpdate) continue;
            for (const ValueId id : node.outputs) {
                const auto size = static_cast<size_t>(training.graph.value(id).type.bytes());
                std::vector<std::byte> a(size), b(size);
                fused->read(id, a);
                plain->read(id, b);
                EXPECT_EQ(a, b) << training.graph.value(id).name;
            }
        }
    }
};

TEST_P(FusedUpdate, GivesTheBitsOfTheNodesOneByOne) {
    for (const RowThreads threads : {RowThreads::kOne, RowThreads::kAll}) {
        const WithRowThreads with(threads);
        expect_same_bits(1.5);
    }
}

TEST_P(FusedUpdate, LeavesWeightsAloneWhenTheNormIsNotFinite) {
    expect_same_bits(std::numeric_limits<double>::quiet_NaN());
}

INSTANTIATE_TEST_SUITE_P(Types, FusedUpdate,
                         testing::Values(DType::kF64, DType::kF32, DType::kBF16),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

}  // namespace
}  // namespace headroom
