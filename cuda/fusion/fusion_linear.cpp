// Linear maps with what stands next to them: products with epilogues.
#include "core/ops/activation.h"
#include "core/ops/linear.h"
#include "cuda/fusion/fused_kernels.h"
#include "cuda/fusion/phase_nodes.h"

namespace headroom::cuda {
namespace {

bool overwrites(const Node& node) {
    return node.writes[0] == Write::kOverwrite;
}

/// The fusion with its kernel and what it moves.
std::vector<Fusion> finished(const PhaseNodes& nodes, size_t first, Fusion fusion,
                             Together together) {
    const Graph& graph = nodes.graph();
    std::vector<FusedPart> parts;
    for (size_t place = first; place < first + fusion.nodes.size(); ++place) {
        const Node& node = nodes.at(place);
        parts.push_back({make_kernel(*node.op, graph.types_of(node.inputs)), node.inputs.size(),
                         node.outputs.size()});
    }
    fusion.kernel = together_or_apart(std::move(together), std::move(parts));
    for (const auto* ids : {&fusion.reads, &fusion.reads_in_place, &fusion.writes})
        for (const TensorType& type : graph.types_of(*ids))
            fusion.cost.bytes += static_cast<double>(type.bytes());
    return {std::move(fusion)};
}

/// Follows what becomes of the result of a linear map, node by node.
class ChainSearch {
  public:
    ChainSearch(const PhaseNodes& nodes, size_t first) : nodes_(nodes), first_(first) {
        chain_.transposed = dynamic_cast<const Linear&>(*nodes.at(first).op).transposed();
        reads_ = nodes.at(first).inputs;
    }

    std::vector<Fusion> find() {
        if (!overwrites(nodes_.at(first_))) return {};
        take_bias();
        if (!take_gelu()) take_add();
        if (end_ - first_ < 2) return {};
        chain_.result = static_cast<int>(end_ - first_) - 1;
        Fusion fusion = nodes_.joined(first_, end_);
        fusion.reads = std::move(reads_);
        fusion.reads_in_place = std::move(reads_in_place_);
        fusion.writes.push_back(result());
        if (chain_.before_gelu >= 0)
            fusion.writes.push_back(fusion.node.outputs[static_cast<size_t>(chain_.before_gelu)]);
        return finished(nodes_, first_, std::move(fusion),
                        linear_chain(chain_, nodes_.graph().value(result()).type));
    }

  private:
    /// Of the chain so far.
    ValueId result() const { return nodes_.at(end_ - 1).outputs[0]; }

    bool goes_on_with(const char* op) const {
        return nodes_.is(end_, op) && overwrites(nodes_.at(end_));
    }

    void take_bias() {
        if (!goes_on_with("add_bias") || nodes_.at(end_).inputs[0] != result() ||
            !nodes_.only_reader(end_, result()))
            return;
        chain_.bias = next_input_ + 1;
        reads_.push_back(nodes_.at(end_).inputs[1]);
        advance();
    }

    /// What it is applied to may be kept: the backward pass reads it.
    bool take_gelu() {
        if (!goes_on_with("activation") || nodes_.at(end_).inputs[0] != result() ||
            dynamic_cast<const Activation&>(*nodes_.at(end_).op).kind() !=
                ActivationKind::kGeluTanh)
            return false;
        chain_.gelu = true;
        if (!nodes_.only_reader(end_, result()))
            chain_.before_gelu = static_cast<int>(end_ - first_) - 1;
        advance();
        return true;
    }

    void take_add() {
        if (!goes_on_with("add") || !nodes_.only_reader(end_, result())) return;
        const std::vector<ValueId>& inputs = nodes_.at(end_).inputs;
        const int other = inputs[0] == result() ? 1 : 0;
        chain_.add = next_input_ + other;
        reads_in_place_.push_back(inputs[static_cast<size_t>(other)]);
        advance();
    }

    void advance() {
        next_input_ += static_cast<int>(nodes_.at(end_).inputs.size());
        ++end_;
    }

    const PhaseNodes& nodes_;
    size_t first_, end_ = first_ + 1;
    int next_input_ = 2;  ///< the place of the next node's among the inputs of all
    LinearChain chain_;
    std::vector<ValueId> reads_, reads_in_place_;
};

/// dhidden = dy W^T, then dx = gelu'(x) dhidden.
std::vector<Fusion> input_gradient_with_gelu(const PhaseNodes& nodes, size_t first) {
    if (!nodes.is(first + 1, "activation_backward")) return {};
    const Node &product = nodes.at(first), &slope = nodes.at(first + 1);
    if (!overwrites(product) || !overwrites(slope) || slope.inputs[1] != product.outputs[0] ||
        !nodes.only_reader(first + 1, product.outputs[0]) ||
        dynamic_cast<const ActivationBackward&>(*slope.op).kind() != ActivationKind::kGeluTanh)
        return {};
    Fusion fusion = nodes.joined(first, first + 2);
    fusion.reads = {product.inputs[0], product.inputs[1], slope.inputs[0]};
    fusion.writes = {slope.outputs[0]};
    return finished(nodes, first, std::move(fusion), linear_backward_input_with_gelu());
}

/// db = sums of dy over its rows, then dW = x^T dy.
std::vector<Fusion> weight_gradient_with_bias(const PhaseNodes& nodes, size_t first) {
    if (!nodes.is(first + 1, "linear_backward_weight")) return {};
    const Node &bias = nodes.at(first), &weight = nodes.at(first + 1);
    if (weight.inputs[1] != bias.inputs[0] || weight.inputs[0] == bias.inputs[0]) return {};
    Fusion fusion = nodes.joined(first, first + 2);
    fusion.reads = weight.inputs;
    fusion.writes = fusion.node.outputs;
    return finished(nodes, first, std::move(fusion),
                    linear_backward_weight_with_bias(nodes.graph().value(bias.outputs[0]).type));
}

}  // namespace

std::vector<Fusion> linear_fusion(const PhaseNodes& nodes, size_t first) {
    if (nodes.is(first, "linear")) return ChainSearch(nodes, first).find();
    if (nodes.is(first, "linear_backward_input")) return input_gradient_with_gelu(nodes, first);
    if (nodes.is(first, "add_bias_backward")) return weight_gradient_with_bias(nodes, first);
    return {};
}

}  // namespace headroom::cuda
