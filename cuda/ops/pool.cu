#include "core/ops/pool.h"

#include "core/ops/dispatch.h"
#include "cuda/kernels.h"
#include "cuda/primitives/aligned_vectors.h"
#include "cuda/primitives/divider.h"

namespace headroom::cuda {
namespace {

/// The first `rows` rows of a sequence of `length`, averaged.
template <class T>
struct PoolRows {
    using A = accumulator_t<T>;
    const T* x;
    T* y;
    int64_t columns, length, rows;
    A share;
    bool accumulate;

    template <int W>
    __device__ void at(int64_t b, int64_t column) const {
        AlignedVector<A, W> sum{};
#pragma unroll 4
        for (int64_t t = 0; t < rows; ++t) {
            const AlignedVector<A, W> values =
                load_wide<W>(x + (b * length + t) * columns + column);
#pragma unroll
            for (int k = 0; k < W; ++k) sum[k] += values[k];
        }
#pragma unroll
        for (int k = 0; k < W; ++k) sum[k] *= share;
        put(y + b * columns + column, sum, accumulate);
    }
};

template <class T>
void pool(const Call& call, PoolKind kind) {
    using A = accumulator_t<T>;
    const T* x = call.inputs[0].as<const T>();
    const Tensor& y = call.outputs[0];
    const int64_t length = call.inputs[0].type.shape[1];
    const int64_t rows = kind == PoolKind::kFirst ? 1 : length;
    for_row_packs<T>(call.stream, y.rows(), y.columns(), are_aligned(x, y.as<T>()),
                     PoolRows<T>{x, y.as<T>(), y.columns(), length, rows,
                                 A{1} / static_cast<A>(rows), call.accumulate[0] != 0});
}

/// Every row gets `share` of its sequence's gradient, the rows behind the first `rows` none.
template <class T>
struct SpreadRow {
    using A = accumulator_t<T>;
    const T* dy;
    T* dx;
    int64_t columns, length, rows;
    Divider by_length;
    A share;
    bool accumulate;

    template <int W>
    __device__ void at(int64_t row, int64_t column) const {
        const int64_t b = by_length(row);
        AlignedVector<A, W> values{};
        if (row - b * length < rows) {
            values = load_wide<W>(dy + b * columns + column);
#pragma unroll
            for (int k = 0; k < W; ++k) values[k] *= share;
        }
        put(dx + row * columns + column, values, accumulate);
    }
};

template <class T>
void spread(const Call& call, PoolKind kind) {
    using A = accumulator_t<T>;
    const T* dy = call.inputs[0].as<const T>();
    const Tensor& dx = call.outputs[0];
    const int64_t length = dx.type.shape[1];
    const int64_t rows = kind == PoolKind::kFirst ? 1 : length;
    for_row_packs<T>(call.stream, dx.rows(), dx.columns(), are_aligned(dy, dx.as<T>()),
                     SpreadRow<T>{dy, dx.as<T>(), dx.columns(), length, rows, Divider(length),
                                  A{1} / static_cast<A>(rows), call.accumulate[0] != 0});
}

}  // namespace

static Kernel pool_kernel(const Op& op, Types) {
    const PoolKind kind = dynamic_cast<const Pool&>(op).kind();
    return [kind](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { pool<T>(call, kind); });
    };
}

static Kernel pool_backward_kernel(const Op& op, Types) {
    const PoolKind kind = dynamic_cast<const PoolBackward&>(op).kind();
    return [kind](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { spread<T>(call, kind); });
    };
}

const RegisteredKernel kPoolKernels[] = {{"pool", pool_kernel},
                                         {"pool_backward", pool_backward_kernel}};

}  // namespace headroom::cuda
