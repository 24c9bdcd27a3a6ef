#pragma once

#include <type_traits>

#include <cuda_runtime.h>

namespace headroom::cuda {

/// constant + slope weight, in float or double. Rounded to float on the host, since GPUs convert
/// few doubles at a time.
struct Factor {
    constexpr Factor(double constant_, double slope_)
        : constant(constant_),
          slope(slope_),
          constant_float(static_cast<float>(constant_)),
          slope_float(static_cast<float>(slope_)) {}

    double constant, slope;
    float constant_float, slope_float;

    /// weight: null if there is none.
    template <class A>
    __device__ A at(const A* weight) const {
        if constexpr (std::is_same_v<A, float>)
            return weight != nullptr ? constant_float + slope_float * *weight : constant_float;
        else
            return weight != nullptr ? constant + slope * *weight : constant;
    }
};

}  // namespace headroom::cuda
