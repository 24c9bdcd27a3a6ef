#include <map>
#include <string>
#include <tuple>
#include <utility>

#include <cublasLt.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "cuda/cuda_device.h"

namespace headroom::cuda {
namespace {

constexpr size_t kWorkspaceBytes = size_t{64} << 20;

void check_blas(cublasStatus_t status, const char* doing) {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    throw EnvironmentError(
        fmt::format("cuBLASLt could not {}: {}", doing, cublasLtGetStatusString(status)),
        "see headroom doctor, or use --device cpu");
}

/// A descriptor of the library, destroyed with it. Move-only.
template <class T, cublasStatus_t (*kDestroy)(T)>
class Handle {
  public:
    Handle() = default;
    ~Handle() {
        if (handle_ != nullptr) kDestroy(handle_);
    }
    Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    T* out() { return &handle_; }
    T get() const { return handle_; }

  private:
    T handle_ = nullptr;
};
using Library = Handle<cublasLtHandle_t, cublasLtDestroy>;
using Operation = Handle<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using Layout = Handle<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
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

Layout layout_of(DType dtype, int64_t rows, int64_t columns, int64_t stride) {
    Layout layout;
    check_blas(cublasLtMatrixLayoutCreate(layout.out(), type_of(dtype), static_cast<uint64_t>(rows),
                                          static_cast<uint64_t>(columns), stride),
               "describe a matrix");
    return layout;
}

/// One product with the algorithm that the library proposes for it, found once. The library
/// counts by columns, in which a row-major C = A B is C^T = B^T A^T: A and B change places.
struct Plan {
    Operation operation;
    Layout a, b, c;
    cublasLtMatmulAlgo_t algorithm{};

    Plan(cublasLtHandle_t library, const GemmShape& s, DType in, DType out) {
        // Full float32: no TF32, which keeps ten bits.
        const auto compute = in == DType::kF64 ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
        const auto scale = in == DType::kF64 ? CUDA_R_64F : CUDA_R_32F;
        check_blas(cublasLtMatmulDescCreate(operation.out(), compute, scale), "describe a product");
        set_transposed(CUBLASLT_MATMUL_DESC_TRANSA, s.b_transposed);
        set_transposed(CUBLASLT_MATMUL_DESC_TRANSB, s.a_transposed);
        a = s.b_transposed ? layout_of(in, s.k, s.n, s.ldb) : layout_of(in, s.n, s.k, s.ldb);
        b = s.a_transposed ? layout_of(in, s.m, s.k, s.lda) : layout_of(in, s.k, s.m, s.lda);
        c = layout_of(out, s.n, s.m, s.ldc);
        choose(library);
    }

  private:
    void set_transposed(cublasLtMatmulDescAttributes_t which, bool transposed) {
        const cublasOperation_t value = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
        check_blas(cublasLtMatmulDescSetAttribute(operation.get(), which, &value, sizeof(value)),
                   "transpose a matrix");
    }

    void choose(cublasLtHandle_t library) {
        Preference preference;
        check_blas(cublasLtMatmulPreferenceCreate(preference.out()), "choose an algorithm");
        const size_t bytes = kWorkspaceBytes;
        check_blas(
            cublasLtMatmulPreferenceSetAttribute(
                preference.get(), CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof(bytes)),
            "choose an algorithm");
        cublasLtMatmulHeuristicResult_t found{};
        int count = 0;
        check_blas(
            cublasLtMatmulAlgoGetHeuristic(library, operation.get(), a.get(), b.get(), c.get(),
                                           c.get(), preference.get(), 1, &found, &count),
            "choose an algorithm");
        CHECK(count == 1, "cuBLASLt has an algorithm for every product");
        algorithm = found.algo;
    }
};

class CublasLtProducts : public Products {
  public:
    CublasLtProducts() { check_blas(cublasLtCreate(library_.out()), "start"); }

    int64_t workspace_bytes() const override { return static_cast<int64_t>(kWorkspaceBytes); }
    void set_workspace(std::byte* workspace) override { workspace_ = workspace; }

    void run(const GemmShape& shape, DType in, const void* a, const void* b, DType out, void* c,
             cudaStream_t stream) override {
        const Plan& plan = plan_of(shape, in, out);
        const double one = 1, beta = shape.accumulate ? 1 : 0;
        const float one_f = 1, beta_f = static_cast<float>(beta);
        const bool wide = in == DType::kF64;
        check_blas(cublasLtMatmul(library_.get(), plan.operation.get(),
                                  wide ? static_cast<const void*>(&one) : &one_f, b, plan.a.get(),
                                  a, plan.b.get(), wide ? static_cast<const void*>(&beta) : &beta_f,
                                  c, plan.c.get(), c, plan.c.get(), &plan.algorithm, workspace_,
                                  kWorkspaceBytes, stream),
                   "multiply");
    }

  private:
    using Key = std::tuple<int64_t, int64_t, int64_t, bool, bool, int64_t, int64_t, int64_t, bool,
                           DType, DType>;

    const Plan& plan_of(const GemmShape& s, DType in, DType out) {
        const Key key{s.m,          s.n, s.k, s.a_transposed, s.b_transposed, s.lda, s.ldb, s.ldc,
                      s.accumulate, in,  out};
        auto found = plans_.find(key);
        if (found == plans_.end())
            found = plans_.emplace(key, Plan(library_.get(), s, in, out)).first;
        return found->second;
    }

    Library library_;
    std::byte* workspace_ = nullptr;
    std::map<Key, Plan> plans_;
};

}  // namespace

std::unique_ptr<Products> make_cublaslt_products() {
    return std::make_unique<CublasLtProducts>();
}

}  // namespace headroom::cuda
