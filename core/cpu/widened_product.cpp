#include "core/cpu/widened_product.h"

#include <algorithm>

#include "core/cpu/parallel.h"

namespace headroom {
namespace {

/// Rows of a pass: enough for a thread to be worth starting.
int64_t rows_of_a_piece(int64_t columns) {
    return std::max<int64_t>(1, 16384 / std::max<int64_t>(columns, 1));
}

/// Copies a matrix of `stride` numbers a row into one without gaps.
void widen(const bf16* from, int64_t rows, int64_t columns, int64_t stride,
           std::vector<float>& to) {
    if (to.size() < static_cast<size_t>(rows * columns))
        to.resize(static_cast<size_t>(rows * columns));
    parallel_for(rows, rows_of_a_piece(columns), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row)
            for (int64_t j = 0; j < columns; ++j)
                to.data()[row * columns + j] = from[row * stride + j];
    });
}

void narrow(const float* from, int64_t rows, int64_t columns, bf16* to, int64_t stride) {
    parallel_for(rows, rows_of_a_piece(columns), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row)
            for (int64_t j = 0; j < columns; ++j) to[row * stride + j] = from[row * columns + j];
    });
}

}  // namespace

void WidenedProduct::run(const GemmShape& shape, const bf16* a, const bf16* b, float* c) {
    GemmShape dense = shape;
    dense.lda = shape.a_transposed ? shape.m : shape.k;
    dense.ldb = shape.b_transposed ? shape.k : shape.n;
    widen(a, shape.a_transposed ? shape.k : shape.m, dense.lda, shape.lda, a_);
    widen(b, shape.b_transposed ? shape.n : shape.k, dense.ldb, shape.ldb, b_);
    gemm(dense, a_.data(), b_.data(), c);
}

void WidenedProduct::run(const GemmShape& shape, const bf16* a, const bf16* b, bf16* c) {
    if (shape.accumulate) widen(c, shape.m, shape.n, shape.ldc, c_);
    if (c_.size() < static_cast<size_t>(shape.m * shape.n))
        c_.resize(static_cast<size_t>(shape.m * shape.n));
    GemmShape dense = shape;
    dense.ldc = shape.n;
    run(dense, a, b, c_.data());
    narrow(c_.data(), shape.m, shape.n, c, shape.ldc);
}

}  // namespace headroom
