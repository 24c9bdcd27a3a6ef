#pragma once

#include <cstdint>

#include <cuda_runtime.h>

#ifndef __host__
#define __host__
#endif

namespace headroom::cuda {

/// Divides by a number that is known at the launch, with a product in place of a division: Warren,
/// Hacker's Delight, 2nd edition, section 10-9, for numbers below 2^31; above, it divides.
class Divider {
  public:
    /// REQUIRES: 0 < divisor < 2^31.
    explicit Divider(int64_t divisor) : divisor_(static_cast<uint32_t>(divisor)) {
        while ((uint64_t{1} << shift_) < divisor_) ++shift_;
        const uint64_t power = uint64_t{1} << shift_;
        factor_ = static_cast<uint32_t>((uint64_t{1} << 32) * (power - divisor_) / divisor_ + 1);
    }

    __host__ __device__ int64_t operator()(int64_t n) const {
        if (n >= int64_t{1} << 31) return n / divisor_;
        return (*this)(static_cast<int>(n));
    }
    /// REQUIRES: n >= 0.
    __host__ __device__ int operator()(int n) const {
        const auto number = static_cast<uint32_t>(n);
        const auto high = static_cast<uint32_t>(uint64_t{number} * factor_ >> 32);
        return static_cast<int>((high + number) >> shift_);
    }

  private:
    uint32_t divisor_, factor_ = 0, shift_ = 0;
};

}  // namespace headroom::cuda
