#include "tests/cuda/emulation/emulated_gemm.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "core/ops/activation_map.h"
#include "core/ops/dispatch.h"

namespace headroom {
namespace {

using cuda::Epilogue;
using cuda::Gemm;

thread_local int64_t epilogues_made_here = 0;

double number_at(const void* data, DType dtype, int64_t i) {
    double x = 0;
    dispatch_float(dtype,
                   [&]<class T>(T) { x = static_cast<double>(static_cast<const T*>(data)[i]); });
    return x;
}

void store_at(void* data, DType dtype, int64_t i, double x) {
    dispatch_float(dtype, [&]<class T>(T) {
        static_cast<T*>(data)[i] = static_cast<T>(static_cast<accumulator_t<T>>(x));
    });
}

/// The numbers of a strided matrix as stored, in double, [rows, columns] dense.
std::vector<double> dense(const void* data, DType dtype, int64_t first, int64_t rows,
                          int64_t columns, int64_t stride) {
    std::vector<double> numbers;
    numbers.reserve(static_cast<size_t>(rows * columns));
    dispatch_float(dtype, [&]<class T>(T) {
        const T* x = static_cast<const T*>(data) + first;
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < columns; ++j)
                numbers.push_back(static_cast<double>(x[i * stride + j]));
    });
    return numbers;
}

/// op(A) op(B) of one product of the batch, and beta C.
std::vector<double> sums_of(const Gemm& p, int64_t entry) {
    GemmShape s = p.shape;
    s.lda = s.a_transposed ? s.m : s.k;
    s.ldb = s.b_transposed ? s.k : s.n;
    s.ldc = s.n;
    const std::vector<double> a =
        dense(p.a, p.in, entry * p.batch.a, s.a_transposed ? s.k : s.m, s.lda, p.shape.lda);
    const std::vector<double> b =
        dense(p.b, p.in, entry * p.batch.b, s.b_transposed ? s.n : s.k, s.ldb, p.shape.ldb);
    std::vector<double> sums(static_cast<size_t>(s.m * s.n), 0.0);
    if (s.accumulate) sums = dense(p.c, p.out, entry * p.batch.c, s.m, s.n, p.shape.ldc);
    gemm_reference(s, a.data(), b.data(), sums.data());
    return sums;
}

double finished(double sum, const Epilogue& e, DType dtype, int64_t i, int64_t column) {
    if (e.add != nullptr) sum += number_at(e.add, dtype, i);
    if (e.bias != nullptr) sum += number_at(e.bias, dtype, column);
    if (e.before_gelu != nullptr) store_at(e.before_gelu, dtype, i, sum);
    if (e.gelu) sum = activate<ActivationKind::kGeluTanh>(sum).value;
    if (e.slope_at != nullptr)
        sum *= activate<ActivationKind::kGeluTanh>(number_at(e.slope_at, dtype, i)).slope;
    return sum;
}

void store_sums(const Gemm& p, const Epilogue& epilogue, int64_t entry,
                const std::vector<double>& sums) {
    for (int64_t i = 0; i < p.shape.m; ++i)
        for (int64_t j = 0; j < p.shape.n; ++j) {
            const int64_t at = entry * p.batch.c + i * p.shape.ldc + j;
            const double sum = sums[static_cast<size_t>(i * p.shape.n + j)];
            store_at(p.c, p.out, at, finished(sum, epilogue, p.out, at, j));
        }
}

void store_column_sums(const Gemm& p, void* column_sums) {
    for (int64_t j = 0; j < p.shape.n; ++j) {
        double sum = 0;
        for (int64_t l = 0; l < p.shape.k; ++l)
            sum += number_at(p.b, p.in,
                             p.shape.b_transposed ? j * p.shape.ldb + l : l * p.shape.ldb + j);
        store_at(column_sums, p.out, j, sum);
    }
}

}  // namespace

void EmulatedGemmLibrary::launch(const Gemm& product, const Epilogue& epilogue,
                                 cudaStream_t stream) const {
    std::byte* workspace = workspace_;
    emulate_launch(stream, [=] {
        // Nobody else's numbers may lie there.
        if (workspace != nullptr) std::memset(workspace, 0xff, kWorkspaceBytes);
        for (int64_t entry = 0; entry < product.batch.count; ++entry)
            store_sums(product, epilogue, entry, sums_of(product, entry));
        if (epilogue.column_sums != nullptr) store_column_sums(product, epilogue.column_sums);
    });
}

void EmulatedGemmLibrary::run(const Gemm& product, cudaStream_t stream) {
    launch(product, {}, stream);
}

bool EmulatedGemmLibrary::run_with(const Gemm& product, const Epilogue& epilogue,
                                   cudaStream_t stream) {
    if (!epilogues_) return false;
    launch(product, epilogue, stream);
    ++epilogues_made_here;
    return true;
}

int64_t EmulatedGemmLibrary::epilogues_made() {
    return epilogues_made_here;
}

}  // namespace headroom
