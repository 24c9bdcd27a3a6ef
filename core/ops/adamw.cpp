#include "core/ops/adamw.h"

namespace headroom {

std::vector<TensorType> GradientNorm::infer(std::span<const TensorType> in) const {
    if (in.empty()) require_inputs(*this, in, 1);
    for (const TensorType& type : in)
        require_type(type.dtype == DType::kF32 || type.dtype == DType::kF64, *this,
                     "float32 or float64 gradients", type);
    CHECK(told_ <= in.size(), "more norms are told than there are inputs");
    for (const TensorType& type : in.last(told_))
        require_type(type == TensorType{DType::kF64, {1}}, *this, "a float64 [1] squared norm",
                     type);
    return {{DType::kF64, {1}}};
}

std::vector<TensorType> AdamW::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 2);
    require_type(in[1] == TensorType{DType::kF64, {1}}, *this, "a float64 [1] norm", in[1]);
    std::vector<TensorType> out{in[0], in[0], in[0]};
    if (copy_) out.push_back({*copy_, in[0].shape});
    return out;
}

OpCost AdamW::cost(std::span<const TensorType> in) const {
    const double copied =
        copy_ ? static_cast<double>(in[0].count()) * static_cast<double>(size_of(*copy_)) : 0.0;
    return {0, 7.0 * static_cast<double>(in[0].bytes()) + copied};
}

}  // namespace headroom
