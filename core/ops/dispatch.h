#pragma once

#include "core/base/dtype.h"
#include "core/base/error.h"

namespace headroom {

/// Calls f with a value of the storage type: float, double or bf16.
///     dispatch_float(x.type.dtype, [&]<class T>(T) { kernel(x.as<const T>()); });
template <class F>
void dispatch_float(DType dtype, F&& f) {
    switch (dtype) {
        case DType::kF32:
            f(float{});
            return;
        case DType::kF64:
            f(double{});
            return;
        case DType::kBF16:
            f(bf16{});
            return;
        default:
            CHECK(false, std::string("no kernel for ") + std::string(name_of(dtype)));
    }
}

/// The same for an accumulator type, in which parameters are stored: float or double.
template <class F>
void dispatch_accumulator(DType dtype, F&& f) {
    if (dtype == DType::kF64)
        f(double{});
    else
        f(float{});
}

}  // namespace headroom
