#include <cmath>
#include <utility>

#include "core/ops/dispatch.h"
#include "core/ops/hyper_weights.h"
#include "core/ops/store.h"

// A few numbers a layer: readable loops in double are fast enough.

namespace headroom {
namespace {

/// A line of a square matrix: its n numbers are `step` apart.
struct Line {
    int64_t first, step;
};

/// Line i of the columns (rows = false) or rows of an n x n matrix.
Line line(bool rows, int64_t i, int64_t n) {
    return rows ? Line{i * n, 1} : Line{i, n};
}

/// to = from with every line divided by its sum.
void normalise(const double* from, int64_t n, bool rows, double* to) {
    for (int64_t i = 0; i < n; ++i) {
        const Line l = line(rows, i, n);
        double sum = 0;
        for (int64_t j = 0; j < n; ++j) sum += from[l.first + j * l.step];
        for (int64_t j = 0; j < n; ++j) to[l.first + j * l.step] = from[l.first + j * l.step] / sum;
    }
}

/// gradient of `from` in place of that of `to` = normalise(from).
void normalise_backward(const double* from, const double* to, int64_t n, bool rows,
                        double* gradient) {
    for (int64_t i = 0; i < n; ++i) {
        const Line l = line(rows, i, n);
        double sum = 0, dot = 0;
        for (int64_t j = 0; j < n; ++j) {
            const int64_t at = l.first + j * l.step;
            sum += from[at];
            dot += gradient[at] * to[at];
        }
        for (int64_t j = 0; j < n; ++j) {
            double& g = gradient[l.first + j * l.step];
            g = (g - dot) / sum;
        }
    }
}

/// e^(x - m), m the largest of x: a common factor does not change the result.
template <class A>
void exponentials(const A* x, int64_t count, double* to) {
    double most = static_cast<double>(x[0]);
    for (int64_t e = 1; e < count; ++e) most = std::max(most, static_cast<double>(x[e]));
    for (int64_t e = 0; e < count; ++e) to[e] = std::exp(static_cast<double>(x[e]) - most);
}

}  // namespace

void ScaledSigmoid::run(const KernelCall& call) const {
    const Tensor& x = call.inputs[0];
    dispatch_accumulator(x.type.dtype, [&]<class A>(A) {
        for (int64_t e = 0; e < x.count(); ++e)
            store(call.outputs[0].as<A>()[e],
                  scale_ / (1.0 + std::exp(-static_cast<double>(x.as<const A>()[e]))),
                  call.accumulate[0] != 0);
    });
}

void ScaledSigmoidBackward::run(const KernelCall& call) const {
    const Tensor& y = call.inputs[0];
    dispatch_accumulator(y.type.dtype, [&]<class A>(A) {
        for (int64_t e = 0; e < y.count(); ++e) {
            const auto value = static_cast<double>(y.as<const A>()[e]);
            const auto dy = static_cast<double>(call.inputs[1].as<const A>()[e]);
            store(call.outputs[0].as<A>()[e], dy * value * (1.0 - value / scale_),
                  call.accumulate[0] != 0);
        }
    });
}

int64_t Sinkhorn::workspace_bytes(std::span<const TensorType> in, int) const {
    return 2 * in[0].count() * static_cast<int64_t>(sizeof(double));
}

void Sinkhorn::run(const KernelCall& call) const {
    const Tensor& x = call.inputs[0];
    const int64_t n = x.type.shape[0], count = x.count();
    auto* matrix = reinterpret_cast<double*>(call.workspace.data());
    double* other = matrix + count;
    dispatch_accumulator(x.type.dtype, [&]<class A>(A) {
        exponentials(x.as<const A>(), count, matrix);
        for (int round = 0; round < kSinkhornRounds; ++round) {
            normalise(matrix, n, false, other);
            normalise(other, n, true, matrix);
        }
        for (int64_t e = 0; e < count; ++e)
            store(call.outputs[0].as<A>()[e], matrix[e], call.accumulate[0] != 0);
    });
}

int64_t SinkhornBackward::workspace_bytes(std::span<const TensorType> in, int) const {
    return (2 * kSinkhornRounds + 2) * in[0].count() * static_cast<int64_t>(sizeof(double));
}

void SinkhornBackward::run(const KernelCall& call) const {
    const Tensor& x = call.inputs[0];
    const int64_t n = x.type.shape[0], count = x.count();
    auto* history = reinterpret_cast<double*>(call.workspace.data());  // one matrix a half round
    double* gradient = history + (2 * kSinkhornRounds + 1) * count;
    dispatch_accumulator(x.type.dtype, [&]<class A>(A) {
        exponentials(x.as<const A>(), count, history);
        for (int half = 0; half < 2 * kSinkhornRounds; ++half)
            normalise(history + half * count, n, half % 2 == 1, history + (half + 1) * count);
        for (int64_t e = 0; e < count; ++e)
            gradient[e] = static_cast<double>(call.inputs[1].as<const A>()[e]);
        for (int half = 2 * kSinkhornRounds - 1; half >= 0; --half)
            normalise_backward(history + half * count, history + (half + 1) * count, n,
                               half % 2 == 1, gradient);
        for (int64_t e = 0; e < count; ++e)
            store(call.outputs[0].as<A>()[e], gradient[e] * history[e], call.accumulate[0] != 0);
    });
}

}  // namespace headroom
