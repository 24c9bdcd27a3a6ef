#include <algorithm>

#include "core/ops/decode_cache.h"
#include "core/ops/dispatch.h"
#include "core/ops/store.h"

namespace headroom {
namespace {

int64_t token_rows(const KernelCall& call) {
    return call.step.rows < 0 ? call.inputs[0].type.shape[1] : call.step.rows;
}

}  // namespace

void CacheAppend::run(const KernelCall& call) const {
    const Tensor &x = call.inputs[0], &cache = call.outputs[0];
    const int64_t batch = x.type.shape[0], seq_len = x.type.shape[1], rows = token_rows(call);
    CHECK(rows <= seq_len && call.step.position + rows <= capacity_, "the cache is full");
    dispatch_float(x.type.dtype, [&]<class T>(T) {
        for (int64_t b = 0; b < batch; ++b)
            for (int64_t h = 0; h < n_head_; ++h)
                for (int64_t t = 0; t < rows; ++t)
                    std::copy_n(
                        x.as<const T>() + (b * seq_len + t) * x.columns() + h * width_, width_,
                        cache.as<T>() +
                            ((b * n_head_ + h) * capacity_ + call.step.position + t) * width_);
    });
}

void LastRow::run(const KernelCall& call) const {
    const Tensor &x = call.inputs[0], &y = call.outputs[0];
    const int64_t seq_len = x.type.shape[1], width = x.columns(), last = token_rows(call) - 1;
    dispatch_float(x.type.dtype, [&]<class T>(T) {
        for (int64_t b = 0; b < x.type.shape[0]; ++b)
            for (int64_t c = 0; c < width; ++c) {
                const auto value = static_cast<accumulator_t<T>>(
                    x.as<const T>()[(b * seq_len + last) * width + c]);
                store(y.as<T>()[b * width + c], value, call.accumulate[0] != 0);
            }
    });
}

}  // namespace headroom
