#pragma once

#include <string>
#include <vector>

#include "core/config/model_config.h"
#include "core/graph/graph.h"
#include "core/model/graph_weights.h"

namespace headroom {

/// What one forward pass of a graph is built with.
struct ForwardOptions {
    Phase phase = Phase::kForward;
    std::string prefix;    ///< of value names; keeps the passes of one graph apart
    double dropout = 0.0;  ///< embedding sum, attention probabilities, after attn.o and mlp.down
    DType precision = DType::kF32;
    /// Training: what the routers' losses are multiplied with in the gradient.
    double router_scale = 0.0;
    /// Decoding: where the layers keep what they project, for later passes. Must outlive the pass.
    const struct DecodeCaches* caches = nullptr;
};

/// Appends nodes of one forward pass: the maps that every part of a model is made of, with their
/// weights looked up by name. Layer numbers in names of values are the layer's own; shared layers
/// read the weights of the first.
class ForwardEmitter {
  public:
    ForwardEmitter(Graph& graph, const ModelConfig& model, const GraphWeights& weights,
                   ForwardOptions options)
        : graph_(graph), model_(model), weights_(weights), options_(std::move(options)) {}

    const ModelConfig& model() const { return model_; }
    const GraphWeights& weights() const { return weights_; }
    const ForwardOptions& options() const { return options_; }

    /// "h.3.", in front of the names of values of this layer.
    std::string layer_name(int layer) const;
    /// "h.3." or, with shared layers, "h.0.": in front of the names of its weights.
    std::string layer_weights(int layer) const;

    /// y = x W (+ b where the model has WEIGHT.bias), W being WEIGHT.weight.
    ValueId linear(const std::string& weight, ValueId x, const std::string& name);
    /// The norm with the tensors WEIGHT.weight, .bias and .alpha; x itself for kNone.
    ValueId norm(NormKind kind, double eps, const std::string& weight, ValueId x,
                 const std::string& name);
    ValueId add(ValueId a, ValueId b, const std::string& name);
    ValueId dropout(ValueId x, const std::string& name);
    /// A node with one output, NAME behind the prefix.
    ValueId apply1(OpPtr op, std::vector<ValueId> inputs, const std::string& name);
    /// A node with several outputs; apply_first returns the first.
    std::vector<ValueId> apply(OpPtr op, std::vector<ValueId> inputs,
                               const std::vector<std::string>& names);
    ValueId apply_first(OpPtr op, std::vector<ValueId> inputs,
                        const std::vector<std::string>& names) {
        return apply(std::move(op), std::move(inputs), names).front();
    }
    /// A node that changes `output`, a value that exists already.
    void apply_in_place(OpPtr op, std::vector<ValueId> inputs, ValueId output,
                        const std::string& name);
    const TensorType& type_of(ValueId id) const { return graph_.value(id).type; }
    /// One dropout stream per site, in building order.
    uint64_t next_stream() { return next_stream_++; }

  private:
    Graph& graph_;
    const ModelConfig& model_;
    const GraphWeights& weights_;
    ForwardOptions options_;
    uint64_t next_stream_ = 0;
};

}  // namespace headroom
