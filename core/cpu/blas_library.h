#pragma once

#include <string>

namespace headroom {

/// A CBLAS library opened at run time: double-precision products, and the benchmark's yardstick.
/// Opening by hand lets us tell OpenBLAS which kernels to use before it looks at the processor
/// (it takes new ones for older models without AVX-512).
struct BlasLibrary {
    using Sgemm = void (*)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                           const float* a, int lda, const float* b, int ldb, float beta, float* c,
                           int ldc);
    using Dgemm = void (*)(int order, int trans_a, int trans_b, int m, int n, int k, double alpha,
                           const double* a, int lda, const double* b, int ldb, double beta,
                           double* c, int ldc);
    std::string name;
    Sgemm sgemm = nullptr;
    Dgemm dgemm = nullptr;
};

/// OpenBLAS or BLIS, opened at the first call and kept; nullptr where it is not installed.
const BlasLibrary* openblas();
const BlasLibrary* blis();

}  // namespace headroom
