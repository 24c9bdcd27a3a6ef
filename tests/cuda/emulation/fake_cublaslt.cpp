#include "tests/cuda/emulation/fake_cublaslt.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

#include <cublasLt.h>

#include "core/ops/activation_map.h"
#include "core/ops/dispatch.h"

using headroom::DType;
using headroom::fake_cublaslt;

struct FakeHandle {};
struct FakeOperation {
    cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
    cudaDataType_t scale = CUDA_R_32F;
    cublasOperation_t transposed_a = CUBLAS_OP_N, transposed_b = CUBLAS_OP_N;
    cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    void* bias = nullptr;
    void* aux = nullptr;
    int64_t aux_stride = 0;

    bool has(uint32_t bit) const { return (epilogue & bit) != 0; }
};
struct FakeLayout {
    cudaDataType_t type = CUDA_R_32F;
    int64_t rows = 0, columns = 0, stride = 0;
    int32_t count = 1;
    int64_t next = 0;
};
struct FakePreference {
    uint64_t workspace_bytes = 0;
    uint32_t reductions = 3, alignment[4] = {256, 256, 256, 256};
};

namespace {

// What an algorithm remembers: its number, its scratch, its kind of reduction, its alignments.
enum { kNumber, kWorkspace, kReduction, kAlignments };
constexpr uint32_t kBias = 4, kGelu = 32, kDGelu = 64, kAux = 128;

DType dtype_of(cudaDataType_t type) {
    return type == CUDA_R_64F ? DType::kF64 : type == CUDA_R_32F ? DType::kF32 : DType::kBF16;
}

double number_at(const void* data, cudaDataType_t type, int64_t i) {
    double x = 0;
    headroom::dispatch_float(dtype_of(type), [&]<class T>(T) {
        x = static_cast<double>(static_cast<const T*>(data)[i]);
    });
    return x;
}

void store_at(void* data, cudaDataType_t type, int64_t i, double x) {
    headroom::dispatch_float(dtype_of(type), [&]<class T>(T) {
        static_cast<T*>(data)[i] = static_cast<T>(static_cast<headroom::accumulator_t<T>>(x));
    });
}

template <class V>
cublasStatus_t take(V& to, const void* value, size_t bytes) {
    if (bytes != sizeof(V)) return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(&to, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

/// One product with everything that it was described by.
struct ProductWork {
    FakeOperation op;
    FakeLayout a_layout, b_layout, c_layout, d_layout;
    const void *a, *b, *c;
    void* d;
    double alpha, beta;

    int64_t m() const { return d_layout.rows; }
    int64_t n() const { return d_layout.columns; }
    int64_t k() const { return op.transposed_a == CUBLAS_OP_T ? a_layout.rows : a_layout.columns; }
    double a_at(int64_t row, int64_t l, int64_t entry) const {
        const bool transposed = op.transposed_a == CUBLAS_OP_T;
        return number_at(a, a_layout.type,
                         entry * a_layout.next +
                             (transposed ? row * a_layout.stride + l : l * a_layout.stride + row));
    }
    double b_at(int64_t l, int64_t column, int64_t entry) const {
        const bool transposed = op.transposed_b == CUBLAS_OP_T;
        return number_at(b, b_layout.type,
                         entry * b_layout.next + (transposed ? l * b_layout.stride + column
                                                             : column * b_layout.stride + l));
    }

    void run() const {
        for (int64_t entry = 0; entry < d_layout.count; ++entry)
            for (int64_t column = 0; column < n(); ++column)
                for (int64_t row = 0; row < m(); ++row) store(row, column, entry);
        for (int64_t row = 0; op.epilogue == CUBLASLT_EPILOGUE_BGRADA && row < m(); ++row) {
            double sum = 0;
            for (int64_t l = 0; l < k(); ++l) sum += a_at(row, l, 0);
            store_at(op.bias, d_layout.type, row, sum);
        }
    }

    void store(int64_t row, int64_t column, int64_t entry) const {
        using headroom::activate;
        using headroom::ActivationKind;
        double sum = 0;
        for (int64_t l = 0; l < k(); ++l) sum += a_at(row, l, entry) * b_at(l, column, entry);
        sum *= alpha;
        const int64_t at = entry * d_layout.next + column * d_layout.stride + row;
        const int64_t at_aux = column * op.aux_stride + row;
        if (beta != 0) sum += beta * number_at(c, c_layout.type, at);
        if (op.has(kBias)) sum += number_at(op.bias, d_layout.type, row);
        if (op.has(kGelu) && op.has(kAux)) store_at(op.aux, d_layout.type, at_aux, sum);
        if (op.has(kGelu)) sum = activate<ActivationKind::kGeluTanh>(sum).value;
        if (op.has(kDGelu)) {
            const double x = number_at(op.aux, d_layout.type, at_aux);
            sum *= activate<ActivationKind::kGeluTanh>(x).slope;
        }
        store_at(d, d_layout.type, at, sum);
    }
};

/// What the manual's tables and the sizes of matrices say.
cublasStatus_t look_at(const FakeOperation& op, const FakeLayout& a, const FakeLayout& b,
                       const FakeLayout& c, const FakeLayout& d) {
    const bool ta = op.transposed_a == CUBLAS_OP_T, tb = op.transposed_b == CUBLAS_OP_T;
    if ((ta ? a.columns : a.rows) != d.rows || (tb ? b.rows : b.columns) != d.columns ||
        (ta ? a.rows : a.columns) != (tb ? b.columns : b.rows) || c.rows != d.rows ||
        c.columns != d.columns || c.type != d.type)
        return CUBLAS_STATUS_INVALID_VALUE;
    for (const FakeLayout* layout : {&a, &b, &c, &d})
        if (layout->stride < layout->rows || layout->count != d.count)
            return CUBLAS_STATUS_INVALID_VALUE;
    const bool wide = d.type == CUDA_R_64F, halves = a.type == CUDA_R_16BF;
    if (a.type != b.type || wide != (op.compute == CUBLAS_COMPUTE_64F) ||
        wide != (op.scale == CUDA_R_64F) || (!halves && a.type != d.type) || (halves && wide))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (op.epilogue == CUBLASLT_EPILOGUE_DEFAULT) return CUBLAS_STATUS_SUCCESS;
    if (!fake_cublaslt().has_epilogues || d.count != 1) return CUBLAS_STATUS_NOT_SUPPORTED;
    const bool vector = op.has(kBias) || op.epilogue == CUBLASLT_EPILOGUE_BGRADA;
    if (vector && op.bias == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    if (op.epilogue == CUBLASLT_EPILOGUE_BGRADA && ta) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (op.has(kAux) && (op.aux == nullptr || op.aux_stride % 8 != 0 || op.aux_stride < d.rows ||
                         reinterpret_cast<uintptr_t>(op.aux) % 16 != 0))
        return CUBLAS_STATUS_INVALID_VALUE;
    return CUBLAS_STATUS_SUCCESS;
}

bool is_aligned(const void* address, uint64_t bytes) {
    return reinterpret_cast<uintptr_t>(address) % bytes == 0;
}

void pause_for(double ms) {
    if (ms > 0) std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms));
}

}  // namespace

headroom::FakeCublasLt& headroom::fake_cublaslt() {
    thread_local FakeCublasLt fake;
    return fake;
}

const char* cublasLtGetStatusString(cublasStatus_t) {
    return "a refusal";
}
size_t cublasLtGetVersion() {
    return 120000;
}
cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
    *handle = new FakeHandle;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* operation,
                                        cublasComputeType_t compute, cudaDataType_t scale) {
    *operation = new FakeOperation{.compute = compute, .scale = scale};
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t operation) {
    delete operation;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t operation,
                                              cublasLtMatmulDescAttributes_t which,
                                              const void* value, size_t bytes) {
    switch (which) {
        case CUBLASLT_MATMUL_DESC_TRANSA:
            return take(operation->transposed_a, value, bytes);
        case CUBLASLT_MATMUL_DESC_TRANSB:
            return take(operation->transposed_b, value, bytes);
        case CUBLASLT_MATMUL_DESC_EPILOGUE:
            return take(operation->epilogue, value, bytes);
        case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
            return take(operation->bias, value, bytes);
        case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER:
            return take(operation->aux, value, bytes);
        case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD:
            return take(operation->aux_stride, value, bytes);
    }
    return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType_t type,
                                          uint64_t rows, uint64_t columns, int64_t stride) {
    *layout =
        new FakeLayout{type, static_cast<int64_t>(rows), static_cast<int64_t>(columns), stride};
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
    delete layout;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t which,
                                                const void* value, size_t bytes) {
    return which == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT ? take(layout->count, value, bytes)
                                                       : take(layout->next, value, bytes);
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
    *preference = new FakePreference;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
    delete preference;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t which,
                                                    const void* value, size_t bytes) {
    if (which == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES)
        return take(preference->workspace_bytes, value, bytes);
    if (which == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK)
        return take(preference->reductions, value, bytes);
    return take(preference->alignment[which - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES], value,
                bytes);
}

/// Number 1 without scratch, number 2 with some, and so on; then, if it may, one that adds in
/// place.
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t operation,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int most,
                                              cublasLtMatmulHeuristicResult_t* results,
                                              int* count) {
    ++fake_cublaslt().heuristics;
    *count = 0;
    const cublasStatus_t status = look_at(*operation, *a, *b, *c, *d);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    const auto propose = [&](uint64_t number, cublasLtReductionScheme_t reduction) {
        if (*count == most) return;
        cublasLtMatmulAlgo_t algorithm{{number, 64 * (number - 1), reduction}};
        for (size_t i = 0; i < 4; ++i) algorithm.data[kAlignments + i] = preference->alignment[i];
        if (algorithm.data[kWorkspace] <= preference->workspace_bytes)
            results[(*count)++] = {algorithm, algorithm.data[kWorkspace], CUBLAS_STATUS_SUCCESS};
    };
    const auto proposals = static_cast<uint64_t>(fake_cublaslt().proposals);
    for (uint64_t number = 1; number <= proposals; ++number)
        propose(number, CUBLASLT_REDUCTION_SCHEME_NONE);
    if (proposals > 0 && (preference->reductions & CUBLASLT_REDUCTION_SCHEME_INPLACE) != 0)
        propose(99, CUBLASLT_REDUCTION_SCHEME_INPLACE);
    return *count > 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t, cublasLtMatmulDesc_t operation,
                                       cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                       cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                       const cublasLtMatmulAlgo_t* algorithm,
                                       cublasLtMatmulHeuristicResult_t* result) {
    if (algorithm->data[kNumber] < 1 || algorithm->data[kNumber] > 9)
        return CUBLAS_STATUS_INVALID_VALUE;
    result->workspaceSize = algorithm->data[kWorkspace];
    return look_at(*operation, *a, *b, *c, *d);
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t operation, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                              cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
                              cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              size_t workspace_bytes, cudaStream_t stream) {
    headroom::FakeCublasLt& fake = fake_cublaslt();
    const auto number = static_cast<int>(algorithm->data[kNumber]);
    const cublasStatus_t status = look_at(*operation, *a_layout, *b_layout, *c_layout, *d_layout);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    if (fake.failing.contains(number)) return CUBLAS_STATUS_NOT_SUPPORTED;
    const uint64_t* alignments = &algorithm->data[kAlignments];
    if (algorithm->data[kWorkspace] > workspace_bytes || !is_aligned(workspace, 256) ||
        !is_aligned(a, alignments[0]) || !is_aligned(b, alignments[1]) ||
        !is_aligned(c, alignments[2]) || !is_aligned(d, alignments[3]))
        return CUBLAS_STATUS_INVALID_VALUE;
    const ProductWork work{*operation,
                           *a_layout,
                           *b_layout,
                           *c_layout,
                           *d_layout,
                           a,
                           b,
                           c,
                           d,
                           number_at(alpha, operation->scale, 0),
                           number_at(beta, operation->scale, 0)};
    fake.ran.push_back(number);
    fake.betas.push_back(static_cast<float>(work.beta));
    const auto index = static_cast<size_t>(number - 1);
    const double ms = (index < fake.ms.size() ? fake.ms[index] : 0) +
                      (operation->epilogue != CUBLASLT_EPILOGUE_DEFAULT ? fake.epilogue_ms : 0);
    const size_t scratch_bytes = algorithm->data[kWorkspace];
    emulate_launch(stream, [=] {
        if (scratch_bytes > 0) std::memset(workspace, 0xff, scratch_bytes);
        pause_for(ms);
        work.run();
    });
    return CUBLAS_STATUS_SUCCESS;
}
