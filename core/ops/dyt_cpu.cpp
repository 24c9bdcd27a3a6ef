#include <cmath>

#include "core/cpu/parallel.h"
#include "core/cpu/vector_math.h"
#include "core/ops/column_sums.h"
#include "core/ops/dispatch.h"
#include "core/ops/dyt.h"
#include "core/ops/store.h"

namespace headroom {
namespace {

constexpr int64_t kRowGrain = 16;

/// tanh(x) = 2 sigmoid(2x) - 1: in float off by at most 2 units of 2^-24, absolutely.
[[gnu::always_inline]] inline float tanh_of(float x) {
    return 2.0f * vmath::sigmoid(2.0f * x) - 1.0f;
}
[[gnu::always_inline]] inline double tanh_of(double x) {
    return std::tanh(x);
}

template <class T>
void forward(const KernelCall& call) {
    using A = accumulator_t<T>;
    const Tensor& x = call.inputs[0];
    const int64_t width = x.columns();
    const A *gain = call.inputs[1].as<const A>(), *shift = call.inputs[2].as<const A>();
    const A alpha = call.inputs[3].as<const A>()[0];
    const bool accumulate = call.accumulate[0] != 0;
    parallel_for(x.rows(), kRowGrain, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
            const T* from = x.as<const T>() + row * width;
            T* y = call.outputs[0].as<T>() + row * width;
            if (accumulate) {
                for (int64_t c = 0; c < width; ++c)
                    y[c] = static_cast<A>(y[c]) +
                           gain[c] * tanh_of(alpha * static_cast<A>(from[c])) + shift[c];
            } else {
#pragma omp simd
                for (int64_t c = 0; c < width; ++c)
                    y[c] = gain[c] * tanh_of(alpha * static_cast<A>(from[c])) + shift[c];
            }
        }
    });
}

/// dx = α dz of one row, or dx += it.
template <class T, class A>
[[gnu::noinline]] void input_row(const T* x, const T* dy, const A* gain, A alpha, int64_t width,
                                 bool accumulate, T* dx) {
    const auto change = [&](int64_t c) {
        const A t = tanh_of(alpha * static_cast<A>(x[c]));
        return alpha * (static_cast<A>(dy[c]) * gain[c] * (A{1} - t * t));
    };
    if (accumulate) {  // NOLINT(bugprone-branch-clone)
#pragma omp simd
        for (int64_t c = 0; c < width; ++c) dx[c] = static_cast<A>(dx[c]) + change(c);
    } else {
#pragma omp simd
        for (int64_t c = 0; c < width; ++c) dx[c] = change(c);
    }
}

/// Adds what one row gives to dg, db (behind one another in `sums`) and dα (after them).
template <class T, class A>
[[gnu::noinline]] void add_parameter_row(const T* x, const T* dy, const A* gain, A alpha,
                                         int64_t width, A* sums) {
    A dalpha = 0;
    A *dgain = sums, *dshift = sums + width;
#pragma omp simd reduction(+ : dalpha)
    for (int64_t c = 0; c < width; ++c) {
        const A value = x[c], gradient = dy[c];
        const A t = tanh_of(alpha * value);
        dgain[c] += gradient * t;
        dshift[c] += gradient;
        dalpha += gradient * gain[c] * (A{1} - t * t) * value;
    }
    sums[2 * width] += dalpha;
}

template <class T>
void differentiate(const KernelCall& call, DyTTargets targets) {
    using A = accumulator_t<T>;
    const Tensor& x = call.inputs[0];
    const int64_t width = x.columns(), rows = x.rows();
    const A *gain = call.inputs[1].as<const A>(), alpha = call.inputs[2].as<const A>()[0];
    const auto row_at = [&](int64_t row, A* sums) {
        const int64_t at = row * width;
        const T *from = x.as<const T>() + at, *dy = call.inputs[3].as<const T>() + at;
        if (targets.input)
            input_row(from, dy, gain, alpha, width, call.accumulate[0] != 0,
                      call.outputs[0].as<T>() + at);
        if (sums != nullptr) add_parameter_row(from, dy, gain, alpha, width, sums);
    };
    if (!targets.parameters) {
        parallel_for(rows, kRowGrain, [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) row_at(row, nullptr);
        });
        return;
    }
    auto* partial = reinterpret_cast<A*>(call.workspace.data());
    const int64_t sums = 2 * width + 1;
    const int64_t blocks = sum_by_blocks(rows, sums, partial, row_at);
    const size_t first = targets.input ? 1 : 0;
    const int64_t starts[] = {0, width, 2 * width}, counts[] = {width, width, 1};
    for (size_t n = 0; n < 3; ++n)
        add_blocks(partial, blocks, sums, starts[n], counts[n], call.outputs[first + n].as<A>(),
                   call.accumulate[first + n] != 0);
}

template <class T>
void backward_reference(const KernelCall& call, DyTTargets targets) {
    using A = accumulator_t<T>;
    const Tensor& x = call.inputs[0];
    const int64_t width = x.columns();
    const auto alpha = static_cast<double>(call.inputs[2].as<const A>()[0]);
    std::vector<double> dgain(static_cast<size_t>(width)), dshift(dgain);
    double dalpha = 0;
    for (int64_t e = 0; e < x.count(); ++e) {
        const auto c = static_cast<size_t>(e % width);
        const auto value = static_cast<double>(x.as<const T>()[e]);
        const auto dy = static_cast<double>(call.inputs[3].as<const T>()[e]);
        const double t = std::tanh(alpha * value);
        const double dz = dy * static_cast<double>(call.inputs[1].as<const A>()[c]) * (1 - t * t);
        if (targets.input) store(call.outputs[0].as<T>()[e], alpha * dz, call.accumulate[0] != 0);
        dgain[c] += dy * t;
        dshift[c] += dy;
        dalpha += dz * value;
    }
    if (!targets.parameters) return;
    const size_t n = targets.input ? 1 : 0;
    for (size_t c = 0; c < dgain.size(); ++c) {
        store(call.outputs[n].as<A>()[c], dgain[c], call.accumulate[n] != 0);
        store(call.outputs[n + 1].as<A>()[c], dshift[c], call.accumulate[n + 1] != 0);
    }
    store(call.outputs[n + 2].as<A>()[0], dalpha, call.accumulate[n + 2] != 0);
}

}  // namespace

void DyT::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { forward<T>(call); });
}

void DyT::run_reference(const KernelCall& call) const {
    const Tensor& x = call.inputs[0];
    dispatch_float(x.type.dtype, [&]<class T>(T) {
        using A = accumulator_t<T>;
        const auto number = [&](size_t input, int64_t i) {
            return static_cast<double>(call.inputs[input].as<const A>()[i]);
        };
        for (int64_t e = 0; e < x.count(); ++e) {
            const int64_t c = e % x.columns();
            const double t = std::tanh(number(3, 0) * static_cast<double>(x.as<const T>()[e]));
            store(call.outputs[0].as<T>()[e], number(1, c) * t + number(2, c),
                  call.accumulate[0] != 0);
        }
    });
}

void DyTBackward::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype,
                   [&]<class T>(T) { differentiate<T>(call, targets_); });
}

void DyTBackward::run_reference(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype,
                   [&]<class T>(T) { backward_reference<T>(call, targets_); });
}

}  // namespace headroom
