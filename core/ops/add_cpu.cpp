#include "core/cpu/parallel.h"
#include "core/cpu/store_each.h"
#include "core/ops/add.h"
#include "core/ops/dispatch.h"
#include "core/ops/store.h"

namespace headroom {
namespace {

constexpr int64_t kGrain = 16384;

template <class T>
void add(const T* a, const T* b, T* y, int64_t count, bool accumulate) {
    using A = accumulator_t<T>;
    parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
        const auto sum = [&](int64_t i) __attribute__((always_inline)) {
            return static_cast<A>(a[i]) + static_cast<A>(b[i]);
        };
        if (accumulate)
            store_each(
                y, begin, end, [&](int64_t i) __attribute__((always_inline)) {
                    return static_cast<A>(y[i]) + sum(i);
                });
        else
            store_each(y, begin, end, sum);
    });
}

}  // namespace

void Add::run(const KernelCall& call) const {
    const Tensor &a = call.inputs[0], &b = call.inputs[1], &y = call.outputs[0];
    dispatch_float(a.type.dtype, [&]<class T>(T) {
        add(a.as<const T>(), b.as<const T>(), y.as<T>(), a.count(), call.accumulate[0] != 0);
    });
}

void Add::run_reference(const KernelCall& call) const {
    const Tensor &a = call.inputs[0], &b = call.inputs[1], &y = call.outputs[0];
    dispatch_float(a.type.dtype, [&]<class T>(T) {
        for (int64_t i = 0; i < a.count(); ++i)
            store(y.as<T>()[i],
                  static_cast<double>(a.as<const T>()[i]) + static_cast<double>(b.as<const T>()[i]),
                  call.accumulate[0] != 0);
    });
}

}  // namespace headroom
