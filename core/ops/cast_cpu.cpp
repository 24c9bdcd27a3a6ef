#include "core/cpu/parallel.h"
#include "core/cpu/store_each.h"
#include "core/cpu/store_panels.h"
#include "core/ops/cast.h"
#include "core/ops/dispatch.h"

namespace headroom {
namespace {

constexpr int64_t kGrain = 16384;

template <class From, class To>
void cast_kernel(const From* x, To* y, int64_t count, bool accumulate) {
    parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
        using A = accumulator_t<To>;
        if (accumulate)
            store_each(
                y, begin, end, [&](int64_t i) __attribute__((always_inline)) {
                    return static_cast<A>(y[i]) + static_cast<A>(x[i]);
                });
        else
            store_each(
                y, begin, end, [&](int64_t i) __attribute__((always_inline)) {
                    return static_cast<A>(x[i]);
                });
    });
}

template <class From>
void cast_into_panels(const Tensor& x, const Tensor& y, bool accumulate) {
    const int64_t rows = x.rows(), columns = x.columns();
    const auto* from = x.as<const From>();
    auto* to = y.as<bf16>();
    parallel_for(rows / 2, kGrain / columns, [&](int64_t begin, int64_t end) {
        for (int64_t r = 2 * begin; r < 2 * end; r += 2)
            store_pair_in_panels(from + r * columns, from + (r + 1) * columns, columns, accumulate,
                                 to, rows, r, 0);
        finish_past_cache();
    });
}

}  // namespace

void Cast::run(const KernelCall& call) const {
    const Tensor &x = call.inputs[0], &y = call.outputs[0];
    if (y.type.layout == MemoryLayout::kPanels) {
        dispatch_float(x.type.dtype, [&]<class From>(From) {
            cast_into_panels<From>(x, y, call.accumulate[0] != 0);
        });
        return;
    }
    dispatch_float(x.type.dtype, [&]<class From>(From) {
        dispatch_float(y.type.dtype, [&]<class To>(To) {
            cast_kernel(x.as<const From>(), y.as<To>(), x.count(), call.accumulate[0] != 0);
        });
    });
}

}  // namespace headroom
