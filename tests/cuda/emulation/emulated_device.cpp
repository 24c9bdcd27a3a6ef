#include "tests/cuda/emulation/emulated_device.h"

#include <cstring>
#include <vector>

#include "core/ops/dispatch.h"
#include "cuda/cuda_device.h"

/// cuda/nccl_averager.cpp, over fake_nccl.cpp.
extern "C" headroom::cuda::Averager* headroom_make_nccl_averager(headroom::ProcessGroup* group);

namespace headroom {
namespace {

/// The numbers of a strided matrix as stored, in double, [rows, columns] dense.
template <class T>
std::vector<double> dense(const void* data, int64_t rows, int64_t columns, int64_t stride) {
    std::vector<double> numbers;
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j)
            numbers.push_back(static_cast<double>(static_cast<const T*>(data)[i * stride + j]));
    return numbers;
}

void multiply(const GemmShape& s, DType in, const void* a, const void* b, DType out, void* c) {
    GemmShape dense_shape = s;
    dense_shape.lda = s.a_transposed ? s.m : s.k;
    dense_shape.ldb = s.b_transposed ? s.k : s.n;
    dense_shape.ldc = s.n;
    std::vector<double> left, right, sums;
    dispatch_float(in, [&]<class T>(T) {
        left = dense<T>(a, s.a_transposed ? s.k : s.m, dense_shape.lda, s.lda);
        right = dense<T>(b, s.b_transposed ? s.n : s.k, dense_shape.ldb, s.ldb);
    });
    dispatch_float(out, [&]<class T>(T) {
        T* to = static_cast<T*>(c);
        sums.assign(static_cast<size_t>(s.m * s.n), 0.0);
        if (s.accumulate) sums = dense<T>(c, s.m, s.n, s.ldc);
        gemm_reference(dense_shape, left.data(), right.data(), sums.data());
        for (int64_t i = 0; i < s.m; ++i)
            for (int64_t j = 0; j < s.n; ++j)
                to[i * s.ldc + j] = static_cast<T>(
                    static_cast<accumulator_t<T>>(sums[static_cast<size_t>(i * s.n + j)]));
    });
}

class EmulatedProducts : public cuda::Products {
  public:
    int64_t workspace_bytes() const override { return kWorkspaceBytes; }
    void set_workspace(std::byte* workspace) override { workspace_ = workspace; }

    void run(const GemmShape& shape, DType in, const void* a, const void* b, DType out, void* c,
             cudaStream_t stream) override {
        std::byte* workspace = workspace_;
        emulate_launch(stream, [=] {
            // Nobody else's numbers may lie there.
            if (workspace != nullptr) std::memset(workspace, 0xff, kWorkspaceBytes);
            multiply(shape, in, a, b, out, c);
        });
    }

  private:
    static constexpr int64_t kWorkspaceBytes = 1000;
    std::byte* workspace_ = nullptr;
};

std::unique_ptr<cuda::Averager> make_averager(ProcessGroup& group) {
    return std::unique_ptr<cuda::Averager>(headroom_make_nccl_averager(&group));
}

}  // namespace

std::unique_ptr<cuda::Products> make_emulated_products() {
    return std::make_unique<EmulatedProducts>();
}

std::unique_ptr<Device> make_emulated_cuda_device() {
    return cuda::make_cuda_device(make_emulated_products, make_averager);
}

}  // namespace headroom
