#include "core/ops/cast.h"

#include "core/ops/dispatch.h"
#include "cuda/kernels.h"
#include "cuda/launch.h"
#include "cuda/number.h"

namespace headroom::cuda {
namespace {

template <class From, class To>
void cast(const Call& call) {
    using A = accumulator_t<From>;
    const From* x = call.inputs[0].as<const From>();
    To* y = call.outputs[0].as<To>();
    const bool accumulate = call.accumulate[0] != 0;
    for_each(call.stream, call.inputs[0].count(),
             [=] __device__(int64_t i) { put(y[i], static_cast<A>(x[i]), accumulate); });
}

}  // namespace

Kernel cast_kernel(const Op&, Types) {
    return [](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class From>(From) {
            dispatch_float(call.outputs[0].type.dtype,
                           [&]<class To>(To) { cast<From, To>(call); });
        });
    };
}

}  // namespace headroom::cuda
