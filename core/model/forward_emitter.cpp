#include "core/model/forward_emitter.h"

#include <fmt/format.h>

#include "core/ops/add.h"
#include "core/ops/bias.h"
#include "core/ops/dropout.h"
#include "core/ops/dyt.h"
#include "core/ops/linear.h"
#include "core/ops/norm.h"

namespace headroom {

std::string ForwardEmitter::layer_name(int layer) const {
    return fmt::format("h.{}.", layer);
}

std::string ForwardEmitter::layer_weights(int layer) const {
    return layer_name(model_.share_layers ? 0 : layer);
}

ValueId ForwardEmitter::linear(const std::string& weight, ValueId x, const std::string& name) {
    const ValueId bias = weights_.master(weight + ".bias");
    const ValueId y = apply1(std::make_shared<Linear>(), {x, weights_.matrix(weight + ".weight")},
                             bias == kNoValue ? name : name + ".product");
    return bias == kNoValue ? y : apply1(std::make_shared<AddBias>(), {y, bias}, name);
}

ValueId ForwardEmitter::norm(NormKind kind, double eps, const std::string& weight, ValueId x,
                             const std::string& name) {
    if (kind == NormKind::kNone) return x;
    const ValueId gain = weights_.master(weight + ".weight");
    const ValueId shift = weights_.master(weight + ".bias");
    switch (kind) {
        case NormKind::kLayerNorm: {
            const std::string plain = shift == kNoValue ? name : name + ".unshifted";
            const ValueId y = apply_first(std::make_shared<LayerNorm>(eps), {x, gain},
                                          {plain, name + ".mean", name + ".rstd"});
            return shift == kNoValue ? y : apply1(std::make_shared<AddBias>(), {y, shift}, name);
        }
        case NormKind::kRmsNorm:
            return apply_first(std::make_shared<RmsNorm>(eps), {x, gain}, {name, name + ".rstd"});
        case NormKind::kDyT:
            return apply1(std::make_shared<DyT>(),
                          {x, gain, shift, weights_.master(weight + ".alpha")}, name);
        case NormKind::kNone:
            break;
    }
    CHECK(false, "unknown norm");
}

ValueId ForwardEmitter::add(ValueId a, ValueId b, const std::string& name) {
    return apply1(std::make_shared<Add>(), {a, b}, name);
}

ValueId ForwardEmitter::dropout(ValueId x, const std::string& name) {
    const uint64_t stream = next_stream();
    if (options_.dropout == 0.0) return x;
    return apply1(std::make_shared<Dropout>(options_.dropout, stream), {x}, name + ".dropped");
}

ValueId ForwardEmitter::apply1(OpPtr op, std::vector<ValueId> inputs, const std::string& name) {
    return graph_.apply1(options_.phase, std::move(op), std::move(inputs), options_.prefix + name);
}

std::vector<ValueId> ForwardEmitter::apply(OpPtr op, std::vector<ValueId> inputs,
                                           const std::vector<std::string>& names) {
    std::vector<std::string> prefixed;
    for (const std::string& name : names) prefixed.push_back(options_.prefix + name);
    return graph_.apply(options_.phase, std::move(op), std::move(inputs), std::move(prefixed));
}

void ForwardEmitter::apply_in_place(OpPtr op, std::vector<ValueId> inputs, ValueId output,
                                    const std::string& name) {
    CHECK(op->infer(graph_.types_of(inputs)).front() == graph_.value(output).type,
          name + " changes a value of another type");
    graph_.append({std::move(op),
                   options_.prefix + name,
                   options_.phase,
                   std::move(inputs),
                   {output},
                   {Write::kAccumulate}});
}

}  // namespace headroom
