#include "core/ops/hyper_weights.h"

#include <cmath>

#include "core/ops/dispatch.h"
#include "cuda/kernels.h"
#include "cuda/primitives/launch.h"
#include "cuda/primitives/number.h"

// A few numbers a layer: the Sinkhorn rounds are the work of one warp, a line for each thread.

namespace headroom::cuda {
namespace {

template <class A>
void sigmoid(const Call& call, double scale) {
    const A* x = call.inputs[0].as<const A>();
    A* y = call.outputs[0].as<A>();
    const bool accumulate = call.accumulate[0] != 0;
    for_each(call.stream, call.inputs[0].count(), [=] __device__(int64_t i) {
        put(y[i], scale / (1.0 + exp(-static_cast<double>(x[i]))), accumulate);
    });
}

template <class A>
void sigmoid_backward(const Call& call, double scale) {
    const A *y = call.inputs[0].as<const A>(), *dy = call.inputs[1].as<const A>();
    A* dx = call.outputs[0].as<A>();
    const bool accumulate = call.accumulate[0] != 0;
    for_each(call.stream, call.inputs[0].count(), [=] __device__(int64_t i) {
        const double value = static_cast<double>(y[i]);
        put(dx[i], static_cast<double>(dy[i]) * value * (1.0 - value / scale), accumulate);
    });
}

/// Element j of line i of an n x n matrix, the lines being rows or columns.
__device__ inline int64_t place(bool rows, int64_t i, int64_t j, int64_t n) {
    return rows ? i * n + j : j * n + i;
}

/// to = from with every line divided by its sum; all threads have written their lines.
__device__ inline void normalise(const Block& b, const double* from, int64_t n, bool rows,
                                 double* to) {
    for (int64_t i = b.thread(); i < n; i += b.threads()) {
        double sum = 0;
        for (int64_t j = 0; j < n; ++j) sum += from[place(rows, i, j, n)];
        for (int64_t j = 0; j < n; ++j) to[place(rows, i, j, n)] = from[place(rows, i, j, n)] / sum;
    }
    b.sync();
}

/// The gradient of `from` in place of that of `to` = normalise(from); all threads are done with it.
__device__ inline void normalise_backward(const Block& b, const double* from, const double* to,
                                          int64_t n, bool rows, double* gradient) {
    for (int64_t i = b.thread(); i < n; i += b.threads()) {
        double sum = 0, dot = 0;
        for (int64_t j = 0; j < n; ++j) {
            const int64_t at = place(rows, i, j, n);
            sum += from[at];
            dot += gradient[at] * to[at];
        }
        for (int64_t j = 0; j < n; ++j) {
            double& g = gradient[place(rows, i, j, n)];
            g = (g - dot) / sum;
        }
    }
    b.sync();
}

/// e^(x - m), m the largest of x: a common factor does not change the result.
template <class A>
__device__ void exponentials(Block& b, const A* x, int64_t count, double* to) {
    double most = static_cast<double>(x[0]);
    for (int64_t e = b.thread(); e < count; e += b.threads())
        most = fmax(most, static_cast<double>(x[e]));
    most = b.max(most);
    for (int64_t e = b.thread(); e < count; e += b.threads())
        to[e] = exp(static_cast<double>(x[e]) - most);
    b.sync();
}

template <class A>
void sinkhorn(const Call& call) {
    const A* x = call.inputs[0].as<const A>();
    A* y = call.outputs[0].as<A>();
    const int64_t n = call.inputs[0].type.shape[0], count = n * n;
    auto* matrix = reinterpret_cast<double*>(call.workspace);
    const bool accumulate = call.accumulate[0] != 0;
    for_rows(call.stream, 1, kWarp, [=] __device__(Block & b, int64_t) {
        double* other = matrix + count;
        exponentials(b, x, count, matrix);
        for (int round = 0; round < kSinkhornRounds; ++round) {
            normalise(b, matrix, n, false, other);
            normalise(b, other, n, true, matrix);
        }
        for (int64_t e = b.thread(); e < count; e += b.threads()) put(y[e], matrix[e], accumulate);
    });
}

template <class A>
void sinkhorn_backward(const Call& call) {
    const A *x = call.inputs[0].as<const A>(), *dy = call.inputs[1].as<const A>();
    A* dx = call.outputs[0].as<A>();
    const int64_t n = call.inputs[0].type.shape[0], count = n * n;
    auto* history = reinterpret_cast<double*>(call.workspace);  // one matrix a half round
    const bool accumulate = call.accumulate[0] != 0;
    for_rows(call.stream, 1, kWarp, [=] __device__(Block & b, int64_t) {
        double* gradient = history + (2 * kSinkhornRounds + 1) * count;
        exponentials(b, x, count, history);
        for (int half = 0; half < 2 * kSinkhornRounds; ++half)
            normalise(b, history + half * count, n, half % 2 == 1, history + (half + 1) * count);
        for (int64_t e = b.thread(); e < count; e += b.threads())
            gradient[e] = static_cast<double>(dy[e]);
        b.sync();
        for (int half = 2 * kSinkhornRounds - 1; half >= 0; --half)
            normalise_backward(b, history + half * count, history + (half + 1) * count, n,
                               half % 2 == 1, gradient);
        for (int64_t e = b.thread(); e < count; e += b.threads())
            put(dx[e], gradient[e] * history[e], accumulate);
    });
}

}  // namespace

static Kernel scaled_sigmoid_kernel(const Op& op, Types) {
    const double scale = dynamic_cast<const ScaledSigmoid&>(op).scale();
    return [scale](const Call& call) {
        dispatch_accumulator(call.inputs[0].type.dtype,
                             [&]<class A>(A) { sigmoid<A>(call, scale); });
    };
}

static Kernel scaled_sigmoid_backward_kernel(const Op& op, Types) {
    const double scale = dynamic_cast<const ScaledSigmoidBackward&>(op).scale();
    return [scale](const Call& call) {
        dispatch_accumulator(call.inputs[0].type.dtype,
                             [&]<class A>(A) { sigmoid_backward<A>(call, scale); });
    };
}

static Kernel sinkhorn_kernel(const Op& op, Types inputs) {
    return {[](const Call& call) {
                dispatch_accumulator(call.inputs[0].type.dtype,
                                     [&]<class A>(A) { sinkhorn<A>(call); });
            },
            op.workspace_bytes(inputs, 1)};
}

static Kernel sinkhorn_backward_kernel(const Op& op, Types inputs) {
    return {[](const Call& call) {
                dispatch_accumulator(call.inputs[0].type.dtype,
                                     [&]<class A>(A) { sinkhorn_backward<A>(call); });
            },
            op.workspace_bytes(inputs, 1)};
}

const RegisteredKernel kHyperWeightsKernels[] = {
    {"scaled_sigmoid", scaled_sigmoid_kernel},
    {"scaled_sigmoid_backward", scaled_sigmoid_backward_kernel},
    {"sinkhorn", sinkhorn_kernel},
    {"sinkhorn_backward", sinkhorn_backward_kernel}};

}  // namespace headroom::cuda
