#include "core/ops/decode_cache.h"

#include <fmt/format.h>

namespace headroom {

std::vector<TensorType> CacheAppend::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 1);
    require_type(in[0].shape.size() == 3 && in[0].columns() >= n_head_ * width_, *this,
                 fmt::format("x [B, T, at least {} * {}]", n_head_, width_), in[0]);
    return {{in[0].dtype, {in[0].shape[0], n_head_, capacity_, width_}}};
}

std::vector<TensorType> LastRow::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 1);
    require_type(in[0].shape.size() == 3, *this, "x [B, T, d]", in[0]);
    return {{in[0].dtype, {in[0].shape[0], 1, in[0].columns()}}};
}

}  // namespace headroom
