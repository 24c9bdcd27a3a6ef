#pragma once

#include <vector>

#include "core/graph/graph.h"

namespace headroom {

/// What an operator's gradient rule sees of the node that is being differentiated, and how it emits
/// gradient nodes. Gradient buffers are mutable: the first contribution to a gradient overwrites
/// it, later ones accumulate, in the fixed order of the nodes, so sums are deterministic. The graph
/// decides which of the two; kernels only obey KernelCall::accumulate.
/// core/autodiff/differentiate.h calls the rules.
class Backward {
  public:
    virtual ~Backward() = default;

    ValueId input(size_t i) const { return node_.inputs[i]; }
    ValueId output(size_t i) const { return node_.outputs[i]; }
    size_t input_count() const { return node_.inputs.size(); }
    virtual TensorType input_type(size_t i) const = 0;
    /// Gradient of output `i`, or kNoValue if the loss does not depend on it.
    virtual ValueId output_grad(size_t i) const = 0;
    /// True if somebody needs the gradient of input `i`.
    virtual bool wants(size_t i) const = 0;

    /// Emits a gradient node: `op` applied to `inputs`; its outputs are the gradients of the
    /// inputs listed in `targets`, all of which must be wanted.
    virtual void emit(OpPtr op, std::vector<ValueId> inputs,
                      const std::vector<size_t>& targets) = 0;

    /// The gradient of input `i` is `gradient` itself, unchanged (sums).
    virtual void pass(size_t i, ValueId gradient) = 0;

    /// Like emit, but the node also computes the outputs of the differentiated node, before the
    /// gradients, and takes its place (the loss fused with its gradient).
    virtual void emit_fused(OpPtr op, std::vector<ValueId> inputs,
                            const std::vector<size_t>& targets) = 0;

  protected:
    explicit Backward(const Node& node) : node_(node) {}
    const Node& node() const { return node_; }

  private:
    const Node& node_;
};

}  // namespace headroom
