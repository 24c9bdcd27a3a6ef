#include "core/cpu/dropout_mask.h"
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

/// A stretch at a time: factors first, in cache, then the products.
template <class T>
void fast(const KernelCall& call, double p, const DropoutStream& random) {
    using A = accumulator_t<T>;
    constexpr int64_t kStretch = 1024;
    const T* x = call.inputs[0].as<const T>();
    T* y = call.outputs[0].as<T>();
    const bool accumulate = call.accumulate[0] != 0;
    parallel_for(call.inputs[0].count(), kStretch, [&](int64_t begin, int64_t end) {
        A kept[kStretch];
        for (int64_t first = begin; first < end; first += kStretch) {
            const int64_t count = std::min(kStretch, end - first);
            dropout_factors(random, p, static_cast<uint64_t>(first), count, kept);
#pragma omp simd
            for (int64_t i = 0; i < count; ++i) {
                const A product = kept[i] * static_cast<A>(x[first + i]);
                y[first + i] = accumulate ? static_cast<A>(y[first + i]) + product : product;
            }
        }
    });
}

}  // namespace

void Dropout::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype,
                   [&]<class T>(T) { fast<T>(call, p_, dropout_stream(call.step, stream_)); });
}

void Dropout::run_reference(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype,
                   [&]<class T>(T) { reference<T>(call, p_, dropout_stream(call.step, stream_)); });
}

}  // namespace headroom
