#include "core/cpu/parallel.h"
#include "core/ops/dispatch.h"
#include "core/ops/dropout.h"
#include "core/ops/store.h"

namespace headroom {
namespace {

template <class T>
void reference(const KernelCall& call, double p, const DropoutStream& random) {
    const T* x = call.inputs[0].as<const T>();
    T* y = call.outputs[0].as<T>();
    for (int64_t i = 0; i < call.inputs[0].count(); ++i) {
        const bool keep = random.word(static_cast<uint64_t>(i)) >= dropout_threshold(p);
        store(y[i], keep ? static_cast<double>(x[i]) / (1.0 - p) : 0.0, call.accumulate[0] != 0);
    }
}

}  // namespace

void Dropout::run(const KernelCall& call) const {
    run_reference(call);
}

void Dropout::run_reference(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype,
                   [&]<class T>(T) { reference<T>(call, p_, dropout_stream(call.step, stream_)); });
}

}  // namespace headroom
