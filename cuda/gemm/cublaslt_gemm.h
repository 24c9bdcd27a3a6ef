#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <cublasLt.h>

#include "cuda/gemm/gemm_key.h"
#include "cuda/gemm/gemm_library.h"

namespace headroom::cuda {

/// EnvironmentError "cuBLASLt could not DOING: REASON" unless the call succeeded.
void check_blas(cublasStatus_t status, const char* doing);

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
using Algorithm = cublasLtMatmulAlgo_t;

/// Memory that algorithms may use while they run.
struct Scratch {
    std::byte* data = nullptr;
    size_t bytes = 0;
};

/// A product with its epilogue as cuBLASLt sees it. The library counts by columns, in which a
/// row-major C = A B is C^T = B^T A^T: A and B change places, and what is said of C's rows holds
/// for the columns of what the library makes.
class LibraryGemm {
  public:
    LibraryGemm(const Gemm& product, const Epilogue& epilogue);

    /// What the library proposes, the most promising first; those alone whose sums have a fixed
    /// order. Empty if it has none.
    std::vector<Algorithm> candidates(const Library& library, size_t scratch_bytes) const;
    /// Whether an algorithm that was proposed in another process can run here.
    bool accepts(const Library& library, const Algorithm& algorithm, size_t scratch_bytes) const;
    /// REQUIRES: a product of the same key as the one this was made of.
    cublasStatus_t launch(const Library& library, const Algorithm& algorithm, const Gemm& product,
                          const Epilogue& epilogue, Scratch scratch, cudaStream_t stream);

  private:
    using Operation = Handle<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
    using Layout = Handle<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;

    template <class V>
    void set(cublasLtMatmulDescAttributes_t which, const V& value);
    /// The addresses that the epilogue reads and writes.
    void point_to(const Epilogue& epilogue);

    GemmKey key_;
    bool wide_;  ///< float64
    Operation operation_;
    Layout a_, b_, c_;
};

}  // namespace headroom::cuda
