#pragma once

#include "core/model/forward_emitter.h"
#include "core/model/parameter_list.h"

namespace headroom {

/// What makes a residual stream of a batch: the embedding of each token and, where positions are
/// learned, that of its place.
class InputBuilder {
  public:
    static void add_parameters(ParameterList& list);
    /// What a batch must hold for it: "tokens", int32 [batch_size, seq_len].
    static ValueId add_input(Graph& graph, int64_t batch_size, int64_t seq_len);

    explicit InputBuilder(ForwardEmitter& emit) : emit_(emit) {}

    /// `tokens`: int32 (batch_size, seq_len). Returns the stream before the first block,
    /// (batch_size, seq_len, d_model).
    ValueId build(ValueId tokens);

  private:
    ForwardEmitter& emit_;
};

}  // namespace headroom
