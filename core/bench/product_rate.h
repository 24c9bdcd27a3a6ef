#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/dtype.h"

namespace headroom {

/// How fast one library multiplies square matrices on this machine with all threads.
struct ProductRate {
    std::string library;  ///< "oneDNN", "OpenBLAS" or "BLIS"
    double gflops = 0;    ///< best of all sizes and repeats, 2 n^3 operations a product
    int64_t size = 0;     ///< n of the best one
};

/// The yardstick of the benchmarks: the rate of each installed library, fastest first. float32, or
/// bfloat16 with float32 sums (oneDNN alone; empty where the processor has no such products).
/// Takes about half a second a library.
std::vector<ProductRate> measure_product_rates(DType dtype = DType::kF32);

}  // namespace headroom
