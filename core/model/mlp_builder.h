#pragma once

#include <vector>

#include "core/model/forward_emitter.h"
#include "core/model/parameter_list.h"
#include "core/model/router_value.h"

namespace headroom {

/// The MLP of a block: down(act(up(u))), or gated down(act(gate(u)) * up(u)) (Shazeer 2020,
/// arXiv:2002.05202). Or several of them, the experts, of which a router chooses top_k for each
/// token, and their weighted sum (Shazeer et al. 2017, arXiv:1701.06538): an expert computes the
/// rows of its own tokens only. Decoding drops no token: alone it finds a place in every expert.
class MlpBuilder {
  public:
    static void add_parameters(ParameterList& list, int layer);

    explicit MlpBuilder(ForwardEmitter& emit) : emit_(emit) {}

    /// `u` (batch_size, seq_len, d_model) is the normalised input. Returns what goes into the
    /// residual stream, of the same shape.
    ValueId build(int layer, ValueId u);

    /// Of all layers with one that were built.
    const std::vector<RouterValue>& routers() const { return routers_; }

  private:
    ValueId dense(int layer, ValueId u);
    ValueId mixture(int layer, ValueId u);
    std::vector<ValueId> route(int layer, ValueId u);
    ValueId expert_linear(int layer, const char* matrix, ValueId rows, ValueId offsets);

    ForwardEmitter& emit_;
    std::vector<RouterValue> routers_;
};

}  // namespace headroom
