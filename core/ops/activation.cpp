#include "core/ops/activation.h"

#include "core/graph/backward.h"

namespace headroom {
namespace {

void require_same(const Op& op, std::span<const TensorType> in, size_t count) {
    require_inputs(op, in, count);
    for (size_t i = 1; i < count; ++i)
        require_type(in[i] == in[0], op, "the type " + to_string(in[0]), in[i]);
}

}  // namespace

std::string_view name_of(ActivationKind kind) {
    switch (kind) {
        case ActivationKind::kGelu:
            return "gelu";
        case ActivationKind::kGeluTanh:
            return "gelu_tanh";
        case ActivationKind::kRelu:
            return "relu";
        case ActivationKind::kRelu2:
            return "relu2";
        case ActivationKind::kSilu:
            return "silu";
    }
    return "";
}

std::vector<TensorType> Activation::infer(std::span<const TensorType> in) const {
    require_same(*this, in, 1);
    return {in[0]};
}

void Activation::backward(Backward& b) const {
    if (!b.wants(0)) return;
    b.emit(std::make_shared<ActivationBackward>(kind_), {b.input(0), b.output_grad(0)}, {0});
}

std::vector<TensorType> ActivationBackward::infer(std::span<const TensorType> in) const {
    require_same(*this, in, 2);
    return {in[0]};
}

std::vector<TensorType> GatedActivation::infer(std::span<const TensorType> in) const {
    require_same(*this, in, 2);
    return {in[0]};
}

void GatedActivation::backward(Backward& b) const {
    std::vector<size_t> targets;
    for (const size_t i : {size_t{0}, size_t{1}})
        if (b.wants(i)) targets.push_back(i);
    if (targets.empty()) return;
    b.emit(std::make_shared<GatedActivationBackward>(kind_, b.wants(0), b.wants(1)),
           {b.input(0), b.input(1), b.output_grad(0)}, targets);
}

std::vector<TensorType> GatedActivationBackward::infer(std::span<const TensorType> in) const {
    require_same(*this, in, 3);
    return std::vector<TensorType>(static_cast<size_t>(want_gate_) + want_up_, in[0]);
}

}  // namespace headroom
