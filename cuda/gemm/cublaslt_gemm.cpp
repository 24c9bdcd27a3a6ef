#include "cuda/gemm/cublaslt_gemm.h"

#include <array>
#include <string>

#include <fmt/format.h>

#include "core/base/dtype.h"
#include "core/base/error.h"

namespace headroom::cuda {
namespace {

constexpr int kMostCandidates = 12;

using Preference = Handle<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

cudaDataType_t type_of(DType dtype) {
    switch (dtype) {
        case DType::kF32:
            return CUDA_R_32F;
        case DType::kF64:
            return CUDA_R_64F;
        case DType::kBF16:
            return CUDA_R_16BF;
        default:
            CHECK(false, "no products of " + std::string(name_of(dtype)));
    }
}

/// `rows` x `columns` as the library counts, so many elements from column to column and from one
/// matrix of the batch to the next.
auto layout_of(DType dtype, int64_t rows, int64_t columns, int64_t stride, int64_t count,
               int64_t next) {
    Handle<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy> layout;
    check_blas(cublasLtMatrixLayoutCreate(layout.out(), type_of(dtype), static_cast<uint64_t>(rows),
                                          static_cast<uint64_t>(columns), stride),
               "describe a matrix");
    if (count == 1) return layout;
    const auto batch = static_cast<int32_t>(count);
    check_blas(cublasLtMatrixLayoutSetAttribute(layout.get(), CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                                &batch, sizeof(batch)),
               "describe a batch");
    check_blas(cublasLtMatrixLayoutSetAttribute(
                   layout.get(), CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &next, sizeof(next)),
               "describe a batch");
    return layout;
}

cublasLtEpilogue_t epilogue_of(const Epilogue& e) {
    if (e.slope_at != nullptr) return CUBLASLT_EPILOGUE_DGELU;
    if (e.column_sums != nullptr) return CUBLASLT_EPILOGUE_BGRADA;  // the library's A is our B
    if (e.gelu && e.before_gelu != nullptr)
        return e.bias != nullptr ? CUBLASLT_EPILOGUE_GELU_AUX_BIAS : CUBLASLT_EPILOGUE_GELU_AUX;
    if (e.gelu) return e.bias != nullptr ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
    return e.bias != nullptr ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
}

template <class V>
void prefer(const Preference& preference, cublasLtMatmulPreferenceAttributes_t which, V value) {
    check_blas(cublasLtMatmulPreferenceSetAttribute(preference.get(), which, &value, sizeof(value)),
               "choose an algorithm");
}

}  // namespace

void check_blas(cublasStatus_t status, const char* doing) {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    throw EnvironmentError(
        fmt::format("cuBLASLt could not {}: {}", doing, cublasLtGetStatusString(status)),
        "see headroom doctor, or use --device cpu");
}

LibraryGemm::LibraryGemm(const Gemm& p, const Epilogue& epilogue)
    : key_(p, epilogue), wide_(p.in == DType::kF64) {
    // Full float32: no TF32, which keeps ten bits.
    check_blas(
        cublasLtMatmulDescCreate(operation_.out(), wide_ ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F,
                                 wide_ ? CUDA_R_64F : CUDA_R_32F),
        "describe a product");
    const GemmShape& s = p.shape;
    const Batch& batch = p.batch;
    set(CUBLASLT_MATMUL_DESC_TRANSA, s.b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, s.a_transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_of(epilogue));
    if (epilogue.before_gelu != nullptr || epilogue.slope_at != nullptr)
        set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, s.ldc);
    point_to(epilogue);
    a_ = s.b_transposed ? layout_of(p.in, s.k, s.n, s.ldb, batch.count, batch.b)
                        : layout_of(p.in, s.n, s.k, s.ldb, batch.count, batch.b);
    b_ = s.a_transposed ? layout_of(p.in, s.m, s.k, s.lda, batch.count, batch.a)
                        : layout_of(p.in, s.k, s.m, s.lda, batch.count, batch.a);
    c_ = layout_of(p.out, s.n, s.m, s.ldc, batch.count, batch.c);
}

template <class V>
void LibraryGemm::set(cublasLtMatmulDescAttributes_t which, const V& value) {
    check_blas(cublasLtMatmulDescSetAttribute(operation_.get(), which, &value, sizeof(value)),
               "describe a product");
}

void LibraryGemm::point_to(const Epilogue& e) {
    const void* vector = e.bias != nullptr ? e.bias : e.column_sums;
    const void* matrix = e.slope_at != nullptr ? e.slope_at : e.before_gelu;
    if (vector != nullptr) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, vector);
    if (matrix != nullptr) set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, matrix);
}

std::vector<Algorithm> LibraryGemm::candidates(const Library& library, size_t scratch_bytes) const {
    Preference preference;
    check_blas(cublasLtMatmulPreferenceCreate(preference.out()), "choose an algorithm");
    prefer(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, scratch_bytes);
    // No sums in place, whose order is that in which blocks end, and none of rounded parts.
    prefer(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
           uint32_t{CUBLASLT_REDUCTION_SCHEME_NONE | CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
    prefer(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
           static_cast<uint32_t>(key_.align_b()));
    prefer(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
           static_cast<uint32_t>(key_.align_a()));
    prefer(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
           static_cast<uint32_t>(key_.align_c()));
    prefer(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES,
           static_cast<uint32_t>(key_.align_c()));
    std::array<cublasLtMatmulHeuristicResult_t, kMostCandidates> found{};
    int count = 0;
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        library.get(), operation_.get(), a_.get(), b_.get(), c_.get(), c_.get(), preference.get(),
        kMostCandidates, found.data(), &count);
    std::vector<Algorithm> algorithms;
    for (int i = 0; status == CUBLAS_STATUS_SUCCESS && i < count; ++i)
        if (found[static_cast<size_t>(i)].state == CUBLAS_STATUS_SUCCESS)
            algorithms.push_back(found[static_cast<size_t>(i)].algo);
    return algorithms;
}

bool LibraryGemm::accepts(const Library& library, const Algorithm& algorithm,
                          size_t scratch_bytes) const {
    cublasLtMatmulHeuristicResult_t result{};
    return cublasLtMatmulAlgoCheck(library.get(), operation_.get(), a_.get(), b_.get(), c_.get(),
                                   c_.get(), &algorithm, &result) == CUBLAS_STATUS_SUCCESS &&
           result.workspaceSize <= scratch_bytes;
}

cublasStatus_t LibraryGemm::launch(const Library& library, const Algorithm& algorithm,
                                   const Gemm& product, const Epilogue& epilogue, Scratch scratch,
                                   cudaStream_t stream) {
    point_to(epilogue);
    const void* add = epilogue.add != nullptr ? epilogue.add : product.c;
    const double one = 1, beta = epilogue.add != nullptr || product.shape.accumulate ? 1 : 0;
    const float one_f = 1, beta_f = static_cast<float>(beta);
    const void* alpha = wide_ ? static_cast<const void*>(&one) : &one_f;
    return cublasLtMatmul(library.get(), operation_.get(), alpha, product.b, a_.get(), product.a,
                          b_.get(), wide_ ? static_cast<const void*>(&beta) : &beta_f, add,
                          c_.get(), product.c, c_.get(), &algorithm, scratch.data, scratch.bytes,
                          stream);
}

}  // namespace headroom::cuda
