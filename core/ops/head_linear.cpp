#include "core/ops/head_linear.h"

#include <fmt/format.h>

namespace headroom {

std::vector<TensorType> HeadLinear::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 2);
    const TensorType &x = in[0], &w = in[1];
    require_type(w.shape.size() == 2 && w.dtype == x.dtype && w.columns() % n_head_ == 0, *this,
                 fmt::format("a weight {} [r, {} * w]", name_of(x.dtype), n_head_), w);
    const int64_t rank = w.shape[0], width = w.columns() / n_head_;
    require_type(x.columns() == n_head_ * stride_ && stride_ >= (transposed_ ? width : rank), *this,
                 fmt::format("x (..., {} * {})", n_head_, stride_), x);
    TensorType y = x;
    y.shape.back() = n_head_ * (transposed_ ? rank : width);
    return {y};
}

}  // namespace headroom
