#pragma once

#include "core/cpu/squared_norm.h"
#include "core/graph/op.h"
#include "core/ops/dispatch.h"
#include "core/ops/store.h"

// For kernels of operators that tell the norm of an output (Op::telling_norm).

namespace headroom {

/// The squared norm of a tensor, number by number: the specification.
inline double reference_squared_norm(const Tensor& tensor) {
    double sum = 0;
    dispatch_float(tensor.type.dtype, [&]<class T>(T) {
        for (int64_t i = 0; i < tensor.count(); ++i) {
            const auto number = static_cast<double>(tensor.as<const T>()[i]);
            sum += number * number;
        }
    });
    return sum;
}

/// Writes the last output: by how much the squared norm grew.
inline void tell_growth(const KernelCall& call, double growth) {
    store(*call.outputs.back().as<double>(), growth, call.accumulate.back() != 0);
}

/// Runs `kernel` and tells the growth by looking at output `output` before and after.
template <class Kernel>
void tell_by_reference(const KernelCall& call, size_t output, Kernel&& kernel) {
    const double before =
        call.accumulate[output] != 0 ? reference_squared_norm(call.outputs[output]) : 0;
    kernel();
    tell_growth(call, reference_squared_norm(call.outputs[output]) - before);
}

/// Runs `kernel`, which returns the squared norm of `result` as it is then, and tells the growth.
/// scratch: of squared_norm. REQUIRES that `result` is output `output`.
template <class A, class Kernel>
void tell_norm(const KernelCall& call, size_t output, double* scratch, Kernel&& kernel) {
    const Tensor& result = call.outputs[output];
    const double before = call.accumulate[output] != 0
                              ? squared_norm(result.as<const A>(), result.count(), scratch)
                              : 0;
    tell_growth(call, kernel() - before);
}

}  // namespace headroom
