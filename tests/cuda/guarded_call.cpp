#include "tests/cuda/guarded_call.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <gtest/gtest.h>

#include "cuda/device/check.h"
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

double guarded_rms(const std::vector<double>& x) {
    double sum = 0;
    for (const double value : x) sum += value * value;
    return std::sqrt(sum / static_cast<double>(std::max<size_t>(x.size(), 1)));
}

/// As CudaOps does.
void expect_near(const Tensor& actual, const Tensor& expected, double tolerance) {
    const std::vector<double> a = to_doubles(actual), b = to_doubles(expected);
    const double scale = guarded_rms(b);
    std::vector<double> apart(b.size());
    for (size_t i = 0; i < b.size(); ++i) {
        apart[i] = a[i] - b[i];
        ASSERT_LE(std::abs(apart[i]), 10 * tolerance * (std::abs(b[i]) + scale))
            << "[" << i << "]: " << a[i] << " and " << b[i];
    }
    EXPECT_LE(guarded_rms(apart), tolerance * scale);
}

void launch(CaseRun& run, const Node& node, const cuda::Kernel& kernel,
            const GuardedTensors& inputs, const GuardedTensors& outputs, bool accumulate) {
    const GuardedBuffer workspace(kernel.workspace_bytes);
    std::vector<uint8_t> flags;
    for (const Write write : node.writes)
        flags.push_back(accumulate || write == Write::kAccumulate);
    const auto products = make_emulated_gemm_library();
    kernel.launch({inputs.tensors(), outputs.tensors(), flags, workspace.data(), &run.step,
                   *products, nullptr});
    cuda::check(cudaDeviceSynchronize(), "run a kernel");
    EXPECT_TRUE(workspace.intact()) << "wrote beyond its workspace";
    EXPECT_TRUE(outputs.intact()) << "wrote beyond an output";
}

}  // namespace

void check_kernel(CaseRun& run, const OpCase& op_case, size_t n, const cuda::Kernel& kernel,
                  bool accumulate) {
    const Node& node = run.node(n);
    SCOPED_TRACE(std::string(node.op->name()));
    const GuardedTensors inputs(run, node.inputs), outputs(run, node.outputs);
    const DType dtype = op_case.inputs.front().type.dtype;
    const bool narrow = run.tensor(node.outputs.front()).type.dtype == DType::kBF16 ||
                        run.tensor(node.inputs.front()).type.dtype == DType::kBF16 ||
                        dtype == DType::kBF16;
    run.run_node(n, narrow ? Kernels::kFast : Kernels::kReference, accumulate);

    launch(run, node, kernel, inputs, outputs, accumulate);
    EXPECT_TRUE(inputs.intact() && inputs.hold_what_they_held(run, node.inputs))
        << "wrote to an input";
    double tolerance = std::max(op_case.tolerance_f32, 1e-5);
    if (run.tensor(node.outputs.front()).type.dtype == DType::kF64) tolerance = 1e-11;
    if (narrow) tolerance = std::max(op_case.tolerance_bf16, 2e-2);
    for (size_t i = 0; i < node.outputs.size(); ++i)
        expect_near(outputs.tensors()[i], run.tensor(node.outputs[i]), tolerance);
}

void check_kernel(CaseRun& run, const OpCase& op_case, size_t n, bool accumulate) {
    const Node& node = run.node(n);
    check_kernel(run, op_case, n,
                 cuda::make_kernel(*node.op, run.graph().graph.types_of(node.inputs)), accumulate);
}

std::vector<std::byte> kernel_bits(CaseRun& run, size_t n) {
    const Node& node = run.node(n);
    const GuardedTensors inputs(run, node.inputs), outputs(run, node.outputs);
    launch(run, node, cuda::make_kernel(*node.op, run.graph().graph.types_of(node.inputs)), inputs,
           outputs, false);
    std::vector<std::byte> bits;
    for (const Tensor& tensor : outputs.tensors())
        bits.insert(bits.end(), tensor.as<std::byte>(),
                    tensor.as<std::byte>() + tensor.type.bytes());
    return bits;
}

}  // namespace headroom
