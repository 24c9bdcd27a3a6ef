#include "core/ops/dropout.h"

#include "core/base/philox.h"
#include "core/ops/dispatch.h"
#include "cuda/kernels.h"
#include "cuda/launch.h"
#include "cuda/number.h"

namespace headroom::cuda {
namespace {

template <class T>
void drop(const Call& call, double p, uint32_t stream) {
    using A = accumulator_t<T>;
    const T* x = call.inputs[0].as<const T>();
    T* y = call.outputs[0].as<T>();
    const StepContext* step = call.step;
    const uint32_t threshold = dropout_threshold(p);
    const A factor = static_cast<A>(1.0 / (1.0 - p));
    const bool accumulate = call.accumulate[0] != 0;
    for_each(call.stream, call.inputs[0].count(), [=] __device__(int64_t i) {
        const DropoutStream random = dropout_stream(*step, stream);
        const bool keep = random.word(static_cast<uint64_t>(i)) >= threshold;
        put(y[i], keep ? static_cast<A>(x[i]) * factor : A(0), accumulate);
    });
}

}  // namespace

Kernel dropout_kernel(const Op& op, Types) {
    const auto& dropout = dynamic_cast<const Dropout&>(op);
    return [p = dropout.p(), stream = dropout.stream()](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { drop<T>(call, p, stream); });
    };
}

}  // namespace headroom::cuda
