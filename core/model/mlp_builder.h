#pragma once

#include "core/model/forward_emitter.h"
#include "core/model/parameter_list.h"

namespace headroom {

/// The MLP of a block: down(act(up(u))), or gated down(act(gate(u)) * up(u)) (Shazeer 2020,
/// arXiv:2002.05202).
class MlpBuilder {
  public:
    static void add_parameters(ParameterList& list, int layer);

    explicit MlpBuilder(ForwardEmitter& emit) : emit_(emit) {}

    /// `u` (batch_size, seq_len, d_model) is the normalised input. Returns what goes into the
    /// residual stream, of the same shape.
    ValueId build(int layer, ValueId u);

  private:
    ForwardEmitter& emit_;
};

}  // namespace headroom
