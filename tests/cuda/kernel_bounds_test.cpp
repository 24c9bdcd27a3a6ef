// Every kernel alone, on memory of its own: what it writes, and that it writes nothing else.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <gtest/gtest.h>

#include "core/ops/op_case_run.h"
#include "cuda/check.h"
#include "cuda/kernel.h"
#include "tests/cuda/awkward_cases.h"
#include "tests/cuda/emulation/emulated_device.h"

namespace headroom {
namespace {

constexpr std::byte kGuard{0xa5};

/// Memory aligned as in the arena, NaN, with guards before it and right after its last byte.
class GuardedBuffer {
  public:
    explicit GuardedBuffer(int64_t bytes)
        : bytes_(static_cast<size_t>(bytes)),
          size_((kBefore + bytes_ + kAfter + 63) / 64 * 64),
          memory_(static_cast<std::byte*>(std::aligned_alloc(64, size_)), &std::free) {
        std::fill_n(memory_.get(), size_, kGuard);
        std::fill_n(data(), bytes_, std::byte{0xff});
    }
    std::byte* data() const { return memory_.get() + kBefore; }
    bool intact() const {
        const auto is_guard = [](std::byte b) { return b == kGuard; };
        return std::all_of(memory_.get(), data(), is_guard) &&
               std::all_of(data() + bytes_, memory_.get() + size_, is_guard);
    }

  private:
    static constexpr size_t kBefore = 64, kAfter = 64;
    size_t bytes_, size_;
    std::unique_ptr<std::byte, void (*)(void*)> memory_;
};

/// Tensors of a node in guarded memory, with the numbers that the CPU's have.
class GuardedTensors {
  public:
    GuardedTensors(CaseRun& run, const std::vector<ValueId>& ids) {
        for (const ValueId id : ids) {
            const Tensor from = run.tensor(id);
            buffers_.emplace_back(from.type.bytes());
            std::memcpy(buffers_.back().data(), from.data, static_cast<size_t>(from.type.bytes()));
            tensors_.push_back({buffers_.back().data(), from.type});
        }
    }
    const std::vector<Tensor>& tensors() const { return tensors_; }
    bool intact() const {
        return std::all_of(buffers_.begin(), buffers_.end(),
                           [](const GuardedBuffer& b) { return b.intact(); });
    }
    bool hold_what_they_held(CaseRun& run, const std::vector<ValueId>& ids) const {
        for (size_t i = 0; i < ids.size(); ++i)
            if (std::memcmp(tensors_[i].data, run.tensor(ids[i]).data,
                            static_cast<size_t>(tensors_[i].type.bytes())) != 0)
                return false;
        return true;
    }

  private:
    std::vector<GuardedBuffer> buffers_;
    std::vector<Tensor> tensors_;
};

void expect_near(const Tensor& actual, const Tensor& expected, double tolerance) {
    const std::vector<double> a = to_doubles(actual), b = to_doubles(expected);
    double scale = 0;
    for (const double x : b) scale += x * x / static_cast<double>(b.size());
    scale = std::sqrt(scale);
    for (size_t i = 0; i < b.size(); ++i)
        ASSERT_LE(std::abs(a[i] - b[i]), tolerance * (std::abs(b[i]) + scale)) << "[" << i << "]";
}

/// Runs node n on the CPU and, on guarded memory, as a kernel of the CUDA device.
void check_node(CaseRun& run, const OpCase& op_case, size_t n, bool accumulate) {
    const Node& node = run.node(n);
    SCOPED_TRACE(std::string(node.op->name()));
    const GuardedTensors inputs(run, node.inputs), outputs(run, node.outputs);
    const DType dtype = op_case.inputs.front().type.dtype;
    const bool narrow = run.tensor(node.outputs.front()).type.dtype == DType::kBF16 ||
                        run.tensor(node.inputs.front()).type.dtype == DType::kBF16 ||
                        dtype == DType::kBF16;
    run.run_node(n, narrow ? Kernels::kFast : Kernels::kReference, accumulate);

    const cuda::Kernel kernel =
        cuda::make_kernel(*node.op, run.graph().graph.types_of(node.inputs));
    const GuardedBuffer workspace(kernel.workspace_bytes);
    std::vector<uint8_t> flags;
    for (const Write write : node.writes)
        flags.push_back(accumulate || write == Write::kAccumulate);
    const auto products = make_emulated_products();
    kernel.launch({inputs.tensors(), outputs.tensors(), flags, workspace.data(), &run.step,
                   *products, nullptr});
    cuda::check(cudaDeviceSynchronize(), "run a kernel");
    EXPECT_TRUE(workspace.intact()) << "wrote beyond its workspace";
    EXPECT_TRUE(outputs.intact()) << "wrote beyond an output";
    EXPECT_TRUE(inputs.intact() && inputs.hold_what_they_held(run, node.inputs))
        << "wrote to an input";
    double tolerance = std::max(op_case.tolerance_f32, 1e-5);
    if (run.tensor(node.outputs.front()).type.dtype == DType::kF64) tolerance = 1e-11;
    if (narrow) tolerance = std::max(op_case.tolerance_bf16, 2e-2);
    for (size_t i = 0; i < node.outputs.size(); ++i)
        expect_near(outputs.tensors()[i], run.tensor(node.outputs[i]), tolerance);
}

class CudaKernels : public testing::TestWithParam<DType> {};

TEST_P(CudaKernels, WriteTheirOutputsAndNothingElse) {
    for (const std::vector<OpCase>& cases :
         {op_cases(GetParam(), CaseSize::kSmall), awkward_cases(GetParam())})
        for (const OpCase& op_case : cases) {
            SCOPED_TRACE(op_case.name);
            CaseRun run(op_case);
            for (size_t n = 0; n < run.node_count(); ++n) check_node(run, op_case, n, false);
        }
}

TEST_P(CudaKernels, AddToTheirOutputs) {
    for (const std::vector<OpCase>& cases :
         {op_cases(GetParam(), CaseSize::kSmall), awkward_cases(GetParam())})
        for (const OpCase& op_case : cases) {
            SCOPED_TRACE(op_case.name);
            CaseRun run(op_case);
            run.run_all(GetParam() == DType::kBF16 ? Kernels::kFast : Kernels::kReference);
            // What a forward pass saves beside its output is never added to.
            for (size_t n = 0; n < run.node_count(); ++n)
                if (run.node(n).phase == Phase::kBackward || run.node(n).outputs.size() == 1)
                    check_node(run, op_case, n, true);
        }
}

INSTANTIATE_TEST_SUITE_P(Types, CudaKernels,
                         testing::Values(DType::kF64, DType::kF32, DType::kBF16),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

}  // namespace
}  // namespace headroom
