#include "core/cpu/gemm.h"

#include <new>

#include <fmt/format.h>
#include <oneapi/dnnl/dnnl.h>

#include "core/base/error.h"
#include "core/cpu/blas_library.h"

namespace headroom {

void gemm(const GemmShape& s, const float* a, const float* b, float* c) {
    const dnnl_status_t status =
        dnnl_sgemm(s.a_transposed ? 'T' : 'N', s.b_transposed ? 'T' : 'N', s.m, s.n, s.k, 1.0f, a,
                   s.lda, b, s.ldb, s.accumulate ? 1.0f : 0.0f, c, s.ldc);
    if (status == dnnl_out_of_memory) throw std::bad_alloc();
    if (status != dnnl_success)
        throw EnvironmentError(
            fmt::format("oneDNN failed on a [{}, {}] x [{}, {}] product with status {}", s.m, s.k,
                        s.k, s.n, static_cast<int>(status)));
}

void gemm(const GemmShape& s, const double* a, const double* b, double* c) {
    const BlasLibrary* blas = openblas();
    if (blas == nullptr || blas->dgemm == nullptr) {
        gemm_reference(s, a, b, c);
        return;
    }
    constexpr int kRowMajor = 101, kPlain = 111, kTransposed = 112;
    blas->dgemm(kRowMajor, s.a_transposed ? kTransposed : kPlain,
                s.b_transposed ? kTransposed : kPlain, static_cast<int>(s.m), static_cast<int>(s.n),
                static_cast<int>(s.k), 1.0, a, static_cast<int>(s.lda), b, static_cast<int>(s.ldb),
                s.accumulate ? 1.0 : 0.0, c, static_cast<int>(s.ldc));
}

template <class T>
void gemm_reference(const GemmShape& s, const T* a, const T* b, T* c) {
    for (int64_t i = 0; i < s.m; ++i)
        for (int64_t j = 0; j < s.n; ++j) {
            double sum = s.accumulate ? static_cast<double>(c[i * s.ldc + j]) : 0.0;
            for (int64_t l = 0; l < s.k; ++l)
                sum += static_cast<double>(s.a_transposed ? a[l * s.lda + i] : a[i * s.lda + l]) *
                       static_cast<double>(s.b_transposed ? b[j * s.ldb + l] : b[l * s.ldb + j]);
            c[i * s.ldc + j] = static_cast<T>(sum);
        }
}

template void gemm_reference(const GemmShape&, const float*, const float*, float*);
template void gemm_reference(const GemmShape&, const double*, const double*, double*);

}  // namespace headroom
