#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/config/model_config.h"
#include "core/graph/graph.h"
#include "core/model/model_graph.h"

namespace headroom {

/// The weights of a model as graph values, by name. In bfloat16 each matrix has a working copy.
class GraphWeights {
  public:
    /// Adds every parameter of `model` to `graph`, in the accumulator type of `precision`.
    GraphWeights(Graph& graph, const ModelConfig& model, DType precision);

    /// The parameter itself (norm gains, embedding tables), or kNoValue.
    ValueId master(const std::string& name) const;
    /// What products read: the working copy in bfloat16, otherwise the parameter.
    ValueId matrix(const std::string& name) const;
    bool has(const std::string& name) const { return by_name_.contains(name); }
    const std::vector<GraphParameter>& parameters() const { return parameters_; }
    /// Appends the nodes that remake the working copies.
    void append_copies(Phase phase) const;

  private:
    Graph& graph_;
    std::vector<GraphParameter> parameters_;
    std::map<std::string, ValueId, std::less<>> by_name_, copies_;
};

/// Emits the nodes of one forward pass: embedding, blocks, final norm. Activations are named
/// PREFIX + "h.3.attn.q" and so on (see core/README.md).
class ForwardBuilder {
  public:
    struct Options {
        Phase phase = Phase::kForward;
        std::string prefix;  ///< of value names; keeps the passes of one graph apart
        double dropout =
            0.0;  ///< embedding sum, attention probabilities, after attn.o and mlp.down
        DType precision = DType::kF32;
    };
    ForwardBuilder(Graph& graph, const ModelConfig& model, const GraphWeights& weights,
                   Options options);

    /// Returns the input of the classifier, (batch_size, seq_len, d_model).
    ValueId build(ValueId tokens);

  private:
    ValueId embed(ValueId tokens);
    ValueId block(int layer, ValueId x);
    ValueId attention(int layer, ValueId u);
    ValueId mlp(int layer, ValueId u);
    ValueId norm(NormKind kind, const std::string& weight, ValueId x, const std::string& name);
    ValueId linear(const std::string& weight, ValueId x, const std::string& name);
    ValueId dropout(ValueId x, const std::string& name);
    ValueId apply1(OpPtr op, std::vector<ValueId> inputs, const std::string& name);

    Graph& graph_;
    const ModelConfig& model_;
    const GraphWeights& weights_;
    Options options_;
    uint64_t next_stream_ = 0;            ///< one dropout stream per site, in building order
    std::vector<ValueId> keys_, values_;  ///< per layer, what it projects itself
};

}  // namespace headroom
