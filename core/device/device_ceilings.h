#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/dtype.h"

namespace headroom {

/// How fast one library multiplies square matrices with the whole device.
struct GemmRate {
    std::string library;  ///< "oneDNN", "OpenBLAS", "BLIS" or "cuBLASLt"
    double gflops = 0;    ///< best of all sizes and repeats, 2 n^3 operations a product
    int64_t size = 0;     ///< n of the best one
    /// Of about a second of such products without a pause, when clocks have fallen; 0: not
    /// measured.
    double sustained_gflops = 0;
};

/// What a device can do where nothing else is asked of it, measured anew at every call: what the
/// benchmarks compare with. Holds memory for it as long as it lives.
class DeviceCeilings {
  public:
    virtual ~DeviceCeilings() = default;
    /// The rate of each library, fastest first: float32, or bfloat16 with float32 sums. Empty where
    /// the device has no such products. Half a second a library.
    virtual std::vector<GemmRate> gemm_rates(DType dtype) = 0;
    /// GFLOP/s of the same products at this moment, each library at its best size, the fastest of
    /// them in a twentieth of a second a library: shared machines change their speed from minute to
    /// minute, and what stands beside this must be timed just before or after it. 0 where the
    /// device has no such products or is not asked so.
    virtual double product_rate_now(DType) { return 0; }
    /// Bytes per second of going once through far more memory than any cache holds: the CPU reads
    /// it, other devices copy it (bytes read and bytes written).
    virtual double memory_rate() = 0;
};

}  // namespace headroom
