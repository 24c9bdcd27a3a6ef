#include "core/ops/add.h"

#include "core/ops/dispatch.h"
#include "cuda/kernels.h"
#include "cuda/launch.h"
#include "cuda/number.h"

namespace headroom::cuda {
namespace {

template <class T>
void add(const Call& call) {
    using A = accumulator_t<T>;
    const T *a = call.inputs[0].as<const T>(), *b = call.inputs[1].as<const T>();
    T* y = call.outputs[0].as<T>();
    const bool accumulate = call.accumulate[0] != 0;
    for_each(call.stream, call.inputs[0].count(), [=] __device__(int64_t i) {
        put(y[i], static_cast<A>(a[i]) + static_cast<A>(b[i]), accumulate);
    });
}

}  // namespace

Kernel add_kernel(const Op&, Types) {
    return [](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { add<T>(call); });
    };
}

}  // namespace headroom::cuda
