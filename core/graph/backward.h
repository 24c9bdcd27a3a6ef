#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/graph/graph.h"

namespace headroom {

/// What an operator's gradient rule sees of the node that is being differentiated, and how it emits
/// gradient nodes. Gradient buffers are mutable: the first contribution to a gradient overwrites
/// it, later ones accumulate, in the fixed order of the nodes, so sums are deterministic. The graph
/// decides which of the two; kernels only obey KernelCall::accumulate.
class Backward {
  public:
    ValueId input(size_t i) const { return node_.inputs[i]; }
    ValueId output(size_t i) const { return node_.outputs[i]; }
    size_t input_count() const { return node_.inputs.size(); }
    TensorType input_type(size_t i) const;
    /// Gradient of output `i`, or kNoValue if the loss does not depend on it.
    ValueId output_grad(size_t i) const;
    /// True if somebody needs the gradient of input `i`.
    bool wants(size_t i) const;

    /// Emits a gradient node: `op` applied to `inputs`; its outputs are the gradients of the
    /// inputs listed in `targets`, all of which must be wanted.
    void emit(OpPtr op, std::vector<ValueId> inputs, const std::vector<size_t>& targets);

    /// The gradient of input `i` is `gradient` itself, unchanged (sums).
    void pass(size_t i, ValueId gradient);

    /// Like emit, but the node also computes the outputs of the differentiated node, before the
    /// gradients, and takes its place (the loss fused with its gradient).
    void emit_fused(OpPtr op, std::vector<ValueId> inputs, const std::vector<size_t>& targets);

  private:
    friend class Differentiator;
    Backward(class Differentiator& d, const Node& node) : d_(d), node_(node) {}

    class Differentiator& d_;
    const Node& node_;
    bool fused_ = false;
};

/// Reverse-mode differentiation: appends to phase kBackward the nodes that compute the gradient of
/// every parameter on which `output` depends, and of `extra_wanted` values. `seed` is the gradient
/// of `output` (kNoValue: the output is a loss whose gradient rule takes 1).
/// Returns the gradient of each parameter and extra value; parameters get Role::kGradient.
std::unordered_map<ValueId, ValueId> differentiate(
    Graph& graph, const std::vector<std::pair<ValueId, ValueId>>& outputs_and_seeds,
    const std::vector<ValueId>& extra_wanted = {});

}  // namespace headroom
