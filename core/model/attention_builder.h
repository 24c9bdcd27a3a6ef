#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/model/forward_emitter.h"
#include "core/model/parameter_list.h"
#include "core/ops/attention.h"
#include "core/wiring/head_id.h"

namespace headroom {

/// Emits the attention of the layers, one after the other: projections that the wiring gives the
/// layer, QK-norm and rotation of queries and own keys, heads that several layers make together,
/// scores and W_O. Keeps what each layer projected for those that read it later.
class AttentionBuilder {
  public:
    explicit AttentionBuilder(ForwardEmitter& emit) : emit_(emit), model_(emit.model()) {}
    virtual ~AttentionBuilder() = default;

    static void add_parameters(ParameterList& list, int layer);

    /// Layers are built in order, from 0. `u` (batch_size, seq_len, d_model) is the normalised
    /// input. Returns what goes into the residual stream, of the same shape.
    ValueId build(int layer, ValueId u);

  protected:
    /// What the heads of one layer give, side by side.
    virtual ValueId heads(int layer, ValueId u);
    virtual ValueId latent_heads(int layer, ValueId u);

    ValueId query(int layer, ValueId u);
    ValueId latent_query(int layer, ValueId u);
    /// The shared rotary key (batch_size, seq_len, d_r).
    ValueId latent_rope(int layer, ValueId u);
    void project_own_keys(int layer, ValueId u);
    void project_own_values(int layer, ValueId u);
    void project_own_latent(int layer, ValueId u);

    ForwardEmitter& emit_;
    const ModelConfig& model_;
    std::vector<ValueId> keys_, values_;  ///< per layer, what it projects itself; or kNoValue
    std::vector<ValueId> latents_;        ///< the same for latent attention

  private:
    ValueId nonlinear(int layer, ValueId u, const std::string& part, const std::string& out);
    ValueId norm_and_rotate(ValueId x, const std::string& norm_weight, const std::string& name);
    /// Where attention finds each head of one table; appends the tensors to `inputs`.
    std::vector<HeadRef> head_refs(int layer, KvTable which, std::vector<ValueId>& inputs);
    ValueId mixed_heads(int layer, const std::vector<HeadSources>& mixtures,
                        const std::vector<ValueId>& projected, const std::string& name,
                        ValueId query);

    ValueId latent(int layer, ValueId u);
    ValueId latent_keys(int layer, ValueId u, ValueId latent);
    ValueId attend(int layer, AttentionOptions options, std::vector<ValueId> inputs);
};

/// The one for this pass: with caches where the emitter's options name them.
std::unique_ptr<AttentionBuilder> make_attention_builder(ForwardEmitter& emit);

}  // namespace headroom
