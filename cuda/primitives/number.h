#pragma once

#include "core/base/bf16.h"
#include "core/base/dtype.h"

namespace headroom::cuda {

/// y = value, or y += value, rounded once.
template <class T, class A>
__device__ inline void put(T& y, A value, bool accumulate) {
    using Sum = accumulator_t<T>;
    const Sum sum = static_cast<Sum>(value);
    y = static_cast<T>(accumulate ? static_cast<Sum>(y) + sum : sum);
}

}  // namespace headroom::cuda
