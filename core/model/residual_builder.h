#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/model/forward_emitter.h"
#include "core/model/parameter_list.h"

namespace headroom {

/// How the branches of a model (attention, MLP, or both side by side) are joined: the residual
/// stream with or without skips, DenseFormer's averages of it, or hyper-connections. One object
/// builds one forward pass, layer by layer.
class ResidualBuilder {
  public:
    /// A branch maps the stream before its norm to what is added to it, both (B, T, d_model).
    using Branch = std::function<ValueId(ValueId)>;

    virtual ~ResidualBuilder() = default;

    /// What joins the branches of one layer, and what joins layers.
    static void add_parameters(ParameterList& list, int layer);
    static void add_parameters(ParameterList& list);

    virtual void begin(ValueId embedding) = 0;
    /// `kind` is "attn" or "mlp"; `skip` whether the branch's input is added to its output; the
    /// result is called `name` where a node makes it.
    virtual void add_branch(int layer, const std::string& kind, bool skip, const std::string& name,
                            const Branch& branch) = 0;
    /// After the last branch of a layer.
    virtual void end_layer(int) {}
    /// The residual stream as it is now: (B, T, d_model), or with hyper-connections n of them side
    /// by side, (B, T, n_stream d_model).
    virtual ValueId stream() const = 0;
    /// What the final norm reads.
    virtual ValueId end() = 0;
};

std::unique_ptr<ResidualBuilder> make_residual_builder(ForwardEmitter& emit);

}  // namespace headroom
