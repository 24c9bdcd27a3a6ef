#include "core/ops/linear.h"

#include "core/base/cpu_features.h"
#include "core/cpu/amx_product.h"
#include "core/graph/backward.h"
#include "core/ops/skinny_gemm.h"

namespace headroom {
namespace {

OpCost gemm_cost(const TensorType& a, const TensorType& b, double m, double n, double k) {
    return {2.0 * m * n * k, static_cast<double>(a.bytes() + b.bytes())};
}

Shape with_columns(Shape shape, int64_t columns) {
    shape.back() = columns;
    return shape;
}

}  // namespace

std::vector<TensorType> Linear::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 2);
    require_type(in[1].shape.size() == 2, *this, "a weight [in, out]", in[1]);
    const size_t in_axis = transposed_ ? 1 : 0;
    require_type(in[0].columns() == in[1].shape[in_axis] && in[0].dtype == in[1].dtype, *this,
                 "an input (..., in) for the weight " + to_string(in[1]), in[0]);
    return {{in[0].dtype, with_columns(in[0].shape, in[1].shape[1 - in_axis])}};
}

void Linear::backward(Backward& b) const {
    CHECK(!transposed_, "a linear map with a transposed weight is for inference");
    const ValueId dy = b.output_grad(0);
    if (b.wants(1)) b.emit(std::make_shared<LinearBackwardWeight>(), {b.input(0), dy}, {1});
    if (b.wants(0)) b.emit(std::make_shared<LinearBackwardInput>(), {dy, b.input(1)}, {0});
}

int64_t Linear::workspace_bytes(std::span<const TensorType> in, int) const {
    const int64_t rows = in[0].rows(), out = in[1].shape[transposed_ ? 0 : 1];
    if (rows > kSkinnyRows) return 0;
    return skinny_gemm_workspace(rows, out, in[0].columns(), transposed_) *
           static_cast<int64_t>(size_of(accumulator_of(in[0].dtype)));
}

OpCost Linear::cost(std::span<const TensorType> in) const {
    return gemm_cost(in[0], in[1], in[0].rows(), in[1].shape[1], in[1].shape[0]);
}

std::vector<TensorType> LinearBackwardInput::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 2);
    require_type(in[0].columns() == in[1].columns() && in[0].dtype == in[1].dtype, *this,
                 "a gradient (..., out) for the weight " + to_string(in[1]), in[0]);
    return {{in[0].dtype, with_columns(in[0].shape, in[1].shape[0])}};
}

bool LinearBackwardInput::copies_weight(const TensorType& dy, const TensorType& w) {
    constexpr int64_t kWorthIt = 256;  // rows from which the copy costs less than it saves
    static const bool slow_transposed = has_avx512();
    return slow_transposed && dy.dtype == DType::kF32 && dy.rows() >= kWorthIt &&
           w.shape[1] >= 64 && !AmxProduct::worth_it({dy.rows(), w.shape[0], w.shape[1]});
}

int64_t LinearBackwardInput::workspace_bytes(std::span<const TensorType> in, int) const {
    return copies_weight(in[0], in[1]) ? in[1].bytes() : 0;
}

OpCost LinearBackwardInput::cost(std::span<const TensorType> in) const {
    return gemm_cost(in[0], in[1], in[0].rows(), in[1].shape[0], in[1].shape[1]);
}

std::vector<TensorType> LinearBackwardWeight::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 2);
    require_type(in[0].rows() == in[1].rows() && in[0].dtype == in[1].dtype, *this,
                 "as many rows as the gradient " + to_string(in[1]), in[0]);
    std::vector<TensorType> out{{accumulator_of(in[0].dtype), {in[0].columns(), in[1].columns()}}};
    if (tells_norm_) out.push_back({DType::kF64, {1}});
    return out;
}

int64_t LinearBackwardWeight::workspace_bytes(std::span<const TensorType> in, int) const {
    if (!tells_norm_) return 0;
    return norm_scratch({in[0].columns(), in[1].columns(), in[0].rows()}) *
           static_cast<int64_t>(sizeof(double));
}

OpPtr LinearBackwardWeight::telling_norm(int) const {
    return std::make_shared<LinearBackwardWeight>(true);
}

OpCost LinearBackwardWeight::cost(std::span<const TensorType> in) const {
    return gemm_cost(in[0], in[1], in[0].columns(), in[1].columns(), in[0].rows());
}

}  // namespace headroom
