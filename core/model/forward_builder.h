#pragma once

#include "core/model/attention_builder.h"
#include "core/model/forward_emitter.h"
#include "core/model/input_builder.h"
#include "core/model/mlp_builder.h"
#include "core/model/residual_builder.h"

namespace headroom {

/// Emits the nodes of one forward pass: input, blocks, final norm. Activations are named
/// PREFIX + "h.3.attn.q" and so on (see core/README.md).
class ForwardBuilder {
  public:
    /// The tensors of all its parts, in the order of the pass.
    static void add_parameters(ParameterList& list);

    ForwardBuilder(Graph& graph, const ModelConfig& model, const GraphWeights& weights,
                   ForwardOptions options);

    /// Returns the input of the classifier, (batch_size, seq_len, d_model). Call it once.
    ValueId build(ValueId tokens);
    /// After build(): the residual stream before the first block and after each, n_layer + 1.
    const std::vector<ValueId>& streams() const { return streams_; }
    /// The same of the layers with a router: what these tell.
    const std::vector<RouterValue>& routers() const { return mlp_.routers(); }

  private:
    void serial_block(int layer);
    void parallel_block(int layer);
    ValueId normed(int layer, const char* norm, ValueId x);

    const ModelConfig& model_;
    ForwardEmitter emit_;
    InputBuilder input_;
    std::unique_ptr<AttentionBuilder> attention_;
    MlpBuilder mlp_;
    std::unique_ptr<ResidualBuilder> residual_;
    std::vector<ValueId> streams_;
};

}  // namespace headroom
