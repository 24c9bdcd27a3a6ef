#include "core/ops/norm.h"

#include "core/ops/dispatch.h"
#include "cuda/kernels.h"
#include "cuda/primitives/column_sums.h"
#include "cuda/primitives/held_row.h"

// One read of x forward, one of x and dy backward: rows stay in registers. The rows of RmsNorm have
// the length of the gain, several to a row of x for norms of single heads.

namespace headroom::cuda {
namespace {

/// Of LayerNorm, or of RMSNorm where `means` is null.
template <class T, int W, int kHeld>
struct Forward {
    using A = accumulator_t<T>;
    const T* x;
    const A* gain;
    T* y;
    A *means, *rstds;
    int columns;
    A eps;
    bool accumulate;

    template <class Group>
    __device__ void operator()(Group& group, int64_t row, bool exists) const {
        const HeldRow<T, W, kHeld> held(group, x + row * columns, columns);
        A mean = 0, squares = 0;
        if (means != nullptr) {
            each_pack<W, kHeld>(group, columns, [&](int n, int c) {
                const AlignedVector<A, W> values = held.at(n, c);
#pragma unroll
                for (int k = 0; k < W; ++k) mean += values[k];
            });
            mean = group.sum(mean) / static_cast<A>(columns);
        }
        each_pack<W, kHeld>(group, columns, [&](int n, int c) {
            const AlignedVector<A, W> values = held.at(n, c);
#pragma unroll
            for (int k = 0; k < W; ++k) squares += (values[k] - mean) * (values[k] - mean);
        });
        const A rstd = A(1) / sqrt(group.sum(squares) / static_cast<A>(columns) + eps);
        if (!exists) return;
        each_pack<W, kHeld>(group, columns, [&](int n, int c) {
            AlignedVector<A, W> values = held.at(n, c);
            const AlignedVector<A, W> factors = load<W>(gain + c);
#pragma unroll
            for (int k = 0; k < W; ++k) values[k] = (values[k] - mean) * rstd * factors[k];
            put(y + row * columns + c, values, accumulate);
        });
        if (group.thread() != 0) return;
        rstds[row] = rstd;
        if (means != nullptr) means[row] = mean;
    }
};

template <class T>
void forward(const Call& call, double eps, accumulator_t<T>* means, accumulator_t<T>* rstds) {
    using A = accumulator_t<T>;
    const T* x = call.inputs[0].as<const T>();
    const A* gain = call.inputs[1].as<const A>();
    T* y = call.outputs[0].as<T>();
    const int64_t columns = call.inputs[1].count();
    const RowGeometry geometry(columns, kFullPack<T>, are_aligned(x, gain, y));
    with_geometry<T>(geometry, [&]<int W, int kHeld>() {
        for_groups(call.stream, call.inputs[0].count() / columns, geometry.threads,
                   Forward<T, W, kHeld>{x, gain, y, means, rstds, static_cast<int>(columns),
                                        static_cast<A>(eps), call.accumulate[0] != 0});
    });
}

/// What the backward passes read and write; null where there is nothing.
template <class T>
struct Gradients {
    using A = accumulator_t<T>;
    const T* x;
    const A *gain, *means, *rstds;
    const T* dy;
    T* dx = nullptr;
    A* partial = nullptr;  ///< of the gain's gradient: a row for each slice
    int columns = 0;
    bool accumulate = false;
};

/// The rows of one slice: dx, and the slice's part of the gain's gradient.
template <class T, int W, int kHeld>
struct Backward {
    using A = accumulator_t<T>;
    Gradients<T> g;
    RowSlices slices;

    template <class Group>
    __device__ void operator()(Group& group, int64_t slice, bool exists) const {
        AlignedVector<A, W> dgain[kHeld] = {};
        A* partial = g.partial == nullptr ? nullptr : g.partial + slice * g.columns;
        each_pack<W, kHeld>(group, g.columns, [&](int n, int c) {
            if (n == kHeld && partial != nullptr && exists)
                put(partial + c, AlignedVector<A, W>{}, false);
        });
        // Every group makes as many rounds, so that the threads of a warp stay together.
        for (int64_t round = 0; round < slices.each(); ++round)
            add_row(group, slices.row(slice, round), exists && slices.has(slice, round), partial,
                    dgain);
        if (partial == nullptr || !exists) return;
        each_pack<W, kHeld>(group, g.columns, [&](int n, int c) {
            if (n < kHeld) put(partial + c, dgain[n], false);
        });
    }

    /// dx after the last read of this thread's columns, as dx may lie over x or dy. What it is
    /// added to is read with them: no second wait for memory.
    template <class Group>
    __device__ void add_row(Group& group, int64_t row, bool has_row, A* partial,
                            AlignedVector<A, W> (&dgain)[kHeld]) const {
        const int64_t at = row * g.columns;
        HeldRow<T, W, kHeld> x(group, g.x + at, g.columns), dy(group, g.dy + at, g.columns);
        const HeldRow<T, W, kHeld> before(group, (g.accumulate ? g.dx : g.x) + at, g.columns,
                                          g.accumulate);
        const A mean = g.means != nullptr ? g.means[row] : A(0), rstd = g.rstds[row];
        A plain = 0, along = 0;
        each_pack<W, kHeld>(group, g.columns, [&](int n, int c) {
            const AlignedVector<A, W> value = x.at(n, c), gradient = dy.at(n, c),
                                      gain = load<W>(g.gain + c);
#pragma unroll
            for (int k = 0; k < W; ++k) {
                const A dn = gradient[k] * gain[k];
                plain += dn;
                along += dn * ((value[k] - mean) * rstd);
            }
        });
        along = group.sum(along) / static_cast<A>(g.columns);
        plain = g.means != nullptr ? group.sum(plain) / static_cast<A>(g.columns) : A(0);
        if (!has_row) return;
        x.forget_wide();
        dy.forget_wide();
        each_pack<W, kHeld>(group, g.columns, [&](int n, int c) {
            const AlignedVector<A, W> value = x.at(n, c), gradient = dy.at(n, c),
                                      gain = load<W>(g.gain + c);
            AlignedVector<A, W> change, of_gain;
#pragma unroll
            for (int k = 0; k < W; ++k) {
                const A normed = (value[k] - mean) * rstd;
                of_gain[k] = gradient[k] * normed;
                change[k] = rstd * (gradient[k] * gain[k] - plain - normed * along);
            }
            if (n == kHeld && partial != nullptr) put(partial + c, of_gain, true);
#pragma unroll
            for (int k = 0; k < W && n < kHeld; ++k) dgain[n][k] += of_gain[k];
            if (g.dx == nullptr) return;
            if (g.accumulate) {
                const AlignedVector<A, W> sum = before.at(n, c);
#pragma unroll
                for (int k = 0; k < W; ++k) change[k] += sum[k];
            }
            put(g.dx + at + c, change, false);
        });
    }
};

template <class T>
RowSlices slices_of(Types inputs, NormTargets targets) {
    const int64_t columns = inputs[1].count(), rows = inputs[0].count() / columns;
    const RowGeometry geometry(columns, kFullPack<T>, true);
    // So many threads are all at work at once.
    constexpr int64_t kMostThreads = 65536;
    return targets.gain ? RowSlices(rows, geometry.threads, kMostThreads)
                        : RowSlices::of_single_rows(rows);
}

template <class T>
void backward(const Call& call, const RowSlices& slices, Gradients<T> g, NormTargets targets) {
    using A = accumulator_t<T>;
    g.columns = static_cast<int>(call.inputs[1].count());
    if (targets.input) {
        g.dx = call.outputs[0].as<T>();
        g.accumulate = call.accumulate[0] != 0;
    }
    if (targets.gain) g.partial = reinterpret_cast<A*>(call.workspace);
    const RowGeometry geometry(g.columns, kFullPack<T>,
                               are_aligned(g.x, g.gain, g.dy, g.dx, g.partial));
    with_geometry<T>(geometry, [&]<int W, int kHeld>() {
        for_groups(call.stream, slices.count, geometry.threads, Backward<T, W, kHeld>{g, slices});
    });
    if (targets.gain)
        sum_slices(call.stream, g.partial, slices.count, g.columns, call.outputs.back().as<A>(),
                   call.accumulate.back() != 0);
}

/// `means` false: of RMSNorm, which saves no means.
Kernel backward_kernel(Types inputs, NormTargets targets, bool means) {
    RowSlices slices = RowSlices::of_single_rows(0);
    int64_t bytes = 0;
    dispatch_float(inputs[0].dtype, [&]<class T>(T) {
        slices = slices_of<T>(inputs, targets);
        if (targets.gain)
            bytes =
                slices.count * inputs[1].count() * static_cast<int64_t>(sizeof(accumulator_t<T>));
    });
    return {[=](const Call& call) {
                const auto in = call.inputs;
                dispatch_float(in[0].type.dtype, [&]<class T>(T) {
                    using A = accumulator_t<T>;
                    backward<T>(call, slices,
                                {.x = in[0].as<const T>(),
                                 .gain = in[1].as<const A>(),
                                 .means = means ? in[2].as<const A>() : nullptr,
                                 .rstds = in[means ? 3 : 2].as<const A>(),
                                 .dy = in.back().as<const T>()},
                                targets);
                });
            },
            bytes};
}

}  // namespace

static Kernel layernorm_kernel(const Op& op, Types) {
    const double eps = dynamic_cast<const LayerNorm&>(op).eps();
    return [eps](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
            using A = accumulator_t<T>;
            forward<T>(call, eps, call.outputs[1].as<A>(), call.outputs[2].as<A>());
        });
    };
}

static Kernel layernorm_backward_kernel(const Op& op, Types inputs) {
    return backward_kernel(inputs, dynamic_cast<const LayerNormBackward&>(op).targets(), true);
}

static Kernel rmsnorm_kernel(const Op& op, Types) {
    const double eps = dynamic_cast<const RmsNorm&>(op).eps();
    return [eps](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
            forward<T>(call, eps, nullptr, call.outputs[1].as<accumulator_t<T>>());
        });
    };
}

static Kernel rmsnorm_backward_kernel(const Op& op, Types inputs) {
    return backward_kernel(inputs, dynamic_cast<const RmsNormBackward&>(op).targets(), false);
}

const RegisteredKernel kNormKernels[] = {{"layernorm", layernorm_kernel},
                                         {"layernorm_backward", layernorm_backward_kernel},
                                         {"rmsnorm", rmsnorm_kernel},
                                         {"rmsnorm_backward", rmsnorm_backward_kernel}};

}  // namespace headroom::cuda
