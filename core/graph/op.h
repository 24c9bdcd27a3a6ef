#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/tensor.h"

namespace headroom {

class Backward;
class CpuContext;

/// What a kernel may know about the moment it runs in. Everything else is fixed in the graph.
struct StepContext {
    uint64_t seed = 0;  ///< of the run; keys the dropout generator
    int64_t step = 1;   ///< optimizer step, 1-based
    int64_t micro = 0;  ///< micro-batch within the step, 0-based
    double lr = 0.0;    ///< learning rate of this step
    /// Decoding: where the first row of a pass stands in its sequence, and how many rows hold
    /// tokens
    /// (-1: all); those after them are computed with but change nothing.
    int64_t position = 0;
    int64_t rows = -1;
};

/// The arguments of one kernel launch on the CPU. Nothing may be allocated inside it.
struct KernelCall {
    std::span<const Tensor> inputs;
    std::span<const Tensor> outputs;
    /// accumulate[i]: add to outputs[i] instead of overwriting it. Outputs that are not
    /// accumulated hold garbage on entry.
    std::span<const uint8_t> accumulate;
    std::span<std::byte> workspace;  ///< workspace_bytes() long, 64-byte aligned, garbage on entry
    const StepContext& step;
    CpuContext& cpu;
};

/// Work of one launch, for the benchmark: floating-point operations of its products (2 per
/// multiply-add) and bytes that must move.
struct OpCost {
    double flops = 0;
    double bytes = 0;
};

/// One operator with its attributes: shape rule, gradient rule and CPU kernels. Stateless and
/// immutable; the graph shares it. Each concrete operator lives in core/ops/NAME.{h,cpp} (rules)
/// and core/ops/NAME_cpu.cpp (kernels); its CUDA kernel in cuda/ops/NAME.cu.
class Op {
  public:
    virtual ~Op() = default;

    /// The name of the operator, e.g. "layernorm"; gradients are operators of their own, named
    /// "layernorm_backward".
    virtual std::string_view name() const = 0;

    /// Types of the outputs for inputs of these types. Throws UserError naming the operator with
    /// the expected and the actual shape.
    virtual std::vector<TensorType> infer(std::span<const TensorType> inputs) const = 0;

    /// Emits the nodes that compute the gradients of the inputs (see backward.h). The default is
    /// for operators that are never differentiated, such as gradients and updates.
    virtual void backward(Backward& b) const;

    /// Scratch that one launch needs with `threads` threads.
    virtual int64_t workspace_bytes(std::span<const TensorType> inputs, int threads) const;

    /// True if output `output` may share memory with input `input` when nobody reads that input
    /// afterwards (elementwise operators).
    virtual bool may_overwrite(int input, int output) const;

    /// The fast CPU kernel: float, double and bf16 storage.
    virtual void run(const KernelCall& call) const = 0;

    /// The naive CPU kernel, the specification that every fast kernel is compared with. Readable
    /// loops written from the formula; float and double storage. The default calls run(), for
    /// operators whose fast kernel is already the naive one.
    virtual void run_reference(const KernelCall& call) const;

    /// True if the CPU kernel also takes input `input` in MemoryLayout::kPanels.
    virtual bool takes_panels(int input) const;
    /// True if it also writes output `output` so, where the output's type says so.
    virtual bool makes_panels(int output) const;

    /// This operator with one output more, the last: the squared norm (sum of all squares) of
    /// output `output`, float64 [1], written as that one is: where a node adds to it, by how much
    /// it grew. Null if there is no such operator.
    virtual std::shared_ptr<const Op> telling_norm(int output) const;

    virtual OpCost cost(std::span<const TensorType> inputs) const;
};

using OpPtr = std::shared_ptr<const Op>;

/// Throws UserError "OP: expected WHAT, got TYPE" unless the condition holds; for shape rules.
void require_type(bool condition, const Op& op, std::string_view expected,
                  const TensorType& actual);
/// The same for the number of inputs.
void require_inputs(const Op& op, std::span<const TensorType> inputs, size_t count);

}  // namespace headroom
