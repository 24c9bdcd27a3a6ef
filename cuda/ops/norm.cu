#include "core/ops/norm.h"

#include "core/ops/dispatch.h"
#include "cuda/column_sums.h"
#include "cuda/kernels.h"
#include "cuda/launch.h"
#include "cuda/number.h"

namespace headroom::cuda {
namespace {

constexpr int kThreads = 128;

template <class T>
void layernorm(const Call& call, double eps) {
    using A = accumulator_t<T>;
    const T* x = call.inputs[0].as<const T>();
    const A* gain = call.inputs[1].as<const A>();
    T* y = call.outputs[0].as<T>();
    A *means = call.outputs[1].as<A>(), *rstds = call.outputs[2].as<A>();
    const int64_t d = call.inputs[0].columns();
    const bool accumulate = call.accumulate[0] != 0;
    for_rows(call.stream, call.inputs[0].rows(), kThreads, [=] __device__(Block & b, int64_t row) {
        const T* from = x + row * d;
        A sum = 0, squares = 0;
        for (int64_t c = b.thread(); c < d; c += b.threads()) sum += static_cast<A>(from[c]);
        const A mean = b.sum(sum) / static_cast<A>(d);
        for (int64_t c = b.thread(); c < d; c += b.threads()) {
            const A apart = static_cast<A>(from[c]) - mean;
            squares += apart * apart;
        }
        const A rstd = A(1) / sqrt(b.sum(squares) / static_cast<A>(d) + static_cast<A>(eps));
        for (int64_t c = b.thread(); c < d; c += b.threads())
            put(y[row * d + c], (static_cast<A>(from[c]) - mean) * rstd * gain[c], accumulate);
        if (b.thread() == 0) means[row] = mean, rstds[row] = rstd;
    });
}

/// Rows of d = the gain's length: several to a row of x for norms of single heads.
template <class T>
void rmsnorm(const Call& call, double eps) {
    using A = accumulator_t<T>;
    const T* x = call.inputs[0].as<const T>();
    const A* gain = call.inputs[1].as<const A>();
    T* y = call.outputs[0].as<T>();
    A* rstds = call.outputs[1].as<A>();
    const int64_t d = call.inputs[1].count();
    const bool accumulate = call.accumulate[0] != 0;
    for_rows(call.stream, call.inputs[0].count() / d, kThreads,
             [=] __device__(Block & b, int64_t row) {
                 const T* from = x + row * d;
                 A squares = 0;
                 for (int64_t c = b.thread(); c < d; c += b.threads()) {
                     const A value = static_cast<A>(from[c]);
                     squares += value * value;
                 }
                 const A rstd =
                     A(1) / sqrt(b.sum(squares) / static_cast<A>(d) + static_cast<A>(eps));
                 for (int64_t c = b.thread(); c < d; c += b.threads())
                     put(y[row * d + c], static_cast<A>(from[c]) * rstd * gain[c], accumulate);
                 if (b.thread() == 0) rstds[row] = rstd;
             });
}

/// What both backward passes read; `means` is null for RMSNorm.
template <class T>
struct Saved {
    using A = accumulator_t<T>;
    const T* x;
    const A *gain, *means, *rstds;
    const T* dy;
    int64_t d;

    /// (x - mean) rstd.
    __device__ A normed(int64_t row, int64_t c) const {
        const A mean = means != nullptr ? means[row] : A(0);
        return (static_cast<A>(x[row * d + c]) - mean) * rstds[row];
    }
    __device__ A gradient(int64_t row, int64_t c) const {
        return static_cast<A>(dy[row * d + c]);
    }
};

template <class T>
void backward(const Call& call, const Saved<T>& saved, int64_t rows, NormTargets targets) {
    using A = accumulator_t<T>;
    const Saved<T> in = saved;
    const int64_t d = in.d;
    // The gain first: dx may lie over x or dy.
    if (targets.gain) {
        const size_t place = targets.input ? 1 : 0;
        sum_columns(call.stream, rows, d, call.outputs[place].as<A>(),
                    call.accumulate[place] != 0, [=] __device__(int64_t row, int64_t c) {
                        return in.gradient(row, c) * in.normed(row, c);
                    });
    }
    if (!targets.input) return;
    T* dx = call.outputs[0].as<T>();
    const bool accumulate = call.accumulate[0] != 0;
    for_rows(call.stream, rows, kThreads, [=] __device__(Block & b, int64_t row) {
        A plain = 0, along = 0;
        for (int64_t c = b.thread(); c < d; c += b.threads()) {
            const A dn = in.gradient(row, c) * in.gain[c];
            plain += dn;
            along += dn * in.normed(row, c);
        }
        plain = in.means != nullptr ? b.sum(plain) / static_cast<A>(d) : A(0);
        along = b.sum(along) / static_cast<A>(d);
        for (int64_t c = b.thread(); c < d; c += b.threads()) {
            const A dn = in.gradient(row, c) * in.gain[c], n = in.normed(row, c);
            put(dx[row * d + c], in.rstds[row] * (dn - plain - n * along), accumulate);
        }
    });
}

template <class T>
void layernorm_backward(const Call& call, NormTargets targets) {
    using A = accumulator_t<T>;
    const auto in = call.inputs;
    const Saved<T> saved{in[0].as<const T>(), in[1].as<const A>(), in[2].as<const A>(),
                         in[3].as<const A>(), in[4].as<const T>(), in[1].count()};
    backward<T>(call, saved, in[0].rows(), targets);
}

template <class T>
void rmsnorm_backward(const Call& call, NormTargets targets) {
    using A = accumulator_t<T>;
    const auto in = call.inputs;
    const Saved<T> saved{in[0].as<const T>(), in[1].as<const A>(), nullptr, in[2].as<const A>(),
                         in[3].as<const T>(), in[1].count()};
    backward<T>(call, saved, in[0].count() / saved.d, targets);
}

}  // namespace

Kernel layernorm_kernel(const Op& op, Types) {
    const double eps = dynamic_cast<const LayerNorm&>(op).eps();
    return [eps](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { layernorm<T>(call, eps); });
    };
}

Kernel layernorm_backward_kernel(const Op& op, Types) {
    const NormTargets targets = dynamic_cast<const LayerNormBackward&>(op).targets();
    return [targets](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype,
                       [&]<class T>(T) { layernorm_backward<T>(call, targets); });
    };
}

Kernel rmsnorm_kernel(const Op& op, Types) {
    const double eps = dynamic_cast<const RmsNorm&>(op).eps();
    return [eps](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { rmsnorm<T>(call, eps); });
    };
}

Kernel rmsnorm_backward_kernel(const Op& op, Types) {
    const NormTargets targets = dynamic_cast<const RmsNormBackward&>(op).targets();
    return [targets](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype,
                       [&]<class T>(T) { rmsnorm_backward<T>(call, targets); });
    };
}

}  // namespace headroom::cuda
