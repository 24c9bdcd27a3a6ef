#include <algorithm>

#include "core/cpu/parallel.h"
#include "core/ops/dispatch.h"
#include "core/ops/head_linear.h"
#include "core/ops/store.h"

namespace headroom {
namespace {

/// y[i] = x · W_h[i], rows of W_h: dot products over its w columns.
template <class T>
void times_transposed(const T* x, const T* w, int64_t rank, int64_t width, int64_t stride,
                      bool accumulate, T* y) {
    using A = accumulator_t<T>;
    for (int64_t i = 0; i < rank; ++i) {
        const T* row = w + i * stride;
        A sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t c = 0; c < width; ++c) sum += static_cast<A>(x[c]) * static_cast<A>(row[c]);
        store(y[i], sum, accumulate);
    }
}

/// y = sum over i of x[i] W_h[i], in pieces of columns that fit registers.
template <class T>
void times(const T* x, const T* w, int64_t rank, int64_t width, int64_t stride, bool accumulate,
           T* y) {
    using A = accumulator_t<T>;
    constexpr int64_t kPiece = 64;
    for (int64_t from = 0; from < width; from += kPiece) {
        const int64_t columns = std::min(kPiece, width - from);
        A sums[kPiece] = {};
        for (int64_t i = 0; i < rank; ++i) {
            const A factor = static_cast<A>(x[i]);
            const T* row = w + i * stride + from;
#pragma omp simd
            for (int64_t c = 0; c < columns; ++c) sums[c] += factor * static_cast<A>(row[c]);
        }
        for (int64_t c = 0; c < columns; ++c) store(y[from + c], sums[c], accumulate);
    }
}

}  // namespace

void HeadLinear::run(const KernelCall& call) const {
    const Tensor &x = call.inputs[0], &w = call.inputs[1], &y = call.outputs[0];
    const int64_t rank = w.type.shape[0], columns = w.columns(), width = columns / n_head_;
    const int64_t out = transposed_ ? rank : width;
    const bool accumulate = call.accumulate[0] != 0;
    dispatch_float(x.type.dtype, [&]<class T>(T) {
        parallel_tasks(n_head_, [&](int64_t h, int) {
            const T* weight = w.as<const T>() + h * width;
            for (int64_t row = 0; row < x.rows(); ++row) {
                const T* from = x.as<const T>() + row * x.columns() + h * stride_;
                T* to = y.as<T>() + row * y.columns() + h * out;
                if (transposed_)
                    times_transposed(from, weight, rank, width, columns, accumulate, to);
                else
                    times(from, weight, rank, width, columns, accumulate, to);
            }
        });
    });
}

void HeadLinear::run_reference(const KernelCall& call) const {
    const Tensor &x = call.inputs[0], &w = call.inputs[1], &y = call.outputs[0];
    const int64_t rank = w.type.shape[0], width = w.columns() / n_head_;
    const int64_t out = transposed_ ? rank : width, in = transposed_ ? width : rank;
    dispatch_float(x.type.dtype, [&]<class T>(T) {
        for (int64_t e = 0; e < y.count(); ++e) {
            const int64_t row = e / y.columns(), h = e % y.columns() / out, i = e % out;
            double sum = 0;
            for (int64_t c = 0; c < in; ++c) {
                const int64_t at =
                    transposed_ ? i * w.columns() + h * width + c : c * w.columns() + h * width + i;
                sum += static_cast<double>(x.as<const T>()[row * x.columns() + h * stride_ + c]) *
                       static_cast<double>(w.as<const T>()[at]);
            }
            store(y.as<T>()[e], sum, call.accumulate[0] != 0);
        }
    });
}

}  // namespace headroom
