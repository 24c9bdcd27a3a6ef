#pragma once

#include <cstddef>
#include <string>

namespace headroom {

/// A CBLAS library opened at run time: double-precision products, and the benchmark's
/// device_ceilings. Opening by hand lets us tell OpenBLAS which kernels to use before it looks at
/// the processor (it takes new ones for older models without AVX-512).
struct BlasLibrary {
    using Sgemm = void (*)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                           const float* a, int lda, const float* b, int ldb, float beta, float* c,
                           int ldc);
    using Dgemm = void (*)(int order, int trans_a, int trans_b, int m, int n, int k, double alpha,
                           const double* a, int lda, const double* b, int ldb, double beta,
                           double* c, int ldc);
    /// LAPACK's SVD in Fortran's calling convention, column-major; the length of `jobz` comes last.
    using Dgesdd = void (*)(const char* jobz, const int* m, const int* n, double* a, const int* lda,
                            double* s, double* u, const int* ldu, double* vt, const int* ldvt,
                            double* work, const int* lwork, int* iwork, int* info,
                            size_t jobz_length);
    std::string name;
    Sgemm sgemm = nullptr;
    Dgemm dgemm = nullptr;
    Dgesdd dgesdd = nullptr;  ///< nullptr in a library without LAPACK
};

/// OpenBLAS or BLIS, opened at the first call and kept; nullptr where it is not installed.
const BlasLibrary* openblas();
const BlasLibrary* blis();

}  // namespace headroom
