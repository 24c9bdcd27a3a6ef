#include <algorithm>
#include <cmath>

#include "core/cpu/fetch_rows.h"
#include "core/cpu/parallel.h"
#include "core/cpu/store_each.h"
#include "core/ops/dispatch.h"
#include "core/ops/norm.h"
#include "core/ops/norm_blocks.h"
#include "core/ops/store.h"

namespace headroom {
namespace {

constexpr int64_t kRowGrain = 16;
constexpr int64_t kRowsAhead = 2;  ///< that are asked for before they are due

/// mean and 1 / sqrt(variance + eps) of a row, in two passes; `centre` false: about zero.
template <class T, class A>
void row_statistics(const T* x, int64_t width, double eps, bool centre, A& mean, A& rstd) {
    A sum = 0;
    if (centre) {
#pragma omp simd reduction(+ : sum)
        for (int64_t c = 0; c < width; ++c) sum += static_cast<A>(x[c]);
    }
    mean = sum / static_cast<A>(width);
    const A about = mean;
    A squares = 0;
#pragma omp simd reduction(+ : squares)
    for (int64_t c = 0; c < width; ++c) {
        const A deviation = static_cast<A>(x[c]) - about;
        squares += deviation * deviation;
    }
    rstd = A{1} / std::sqrt(squares / static_cast<A>(width) + static_cast<A>(eps));
}

template <class T>
void forward(const KernelCall& call, double eps, bool centre) {
    using A = accumulator_t<T>;
    const Tensor& x = call.inputs[0];
    const int64_t width = call.inputs[1].count(), rows = x.count() / width;
    const A* gain = call.inputs[1].as<const A>();
    A* means = centre ? call.outputs[1].as<A>() : nullptr;
    A* rstds = call.outputs[centre ? 2 : 1].as<A>();
    const bool accumulate = call.accumulate[0] != 0;
    parallel_for(rows, kRowGrain, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
            const T* from = x.as<const T>() + row * width;
            T* y = call.outputs[0].as<T>() + row * width;
            fetch_rows(from + kRowsAhead * width, 0, 1, width);
            fetch_rows(y + kRowsAhead * width, 0, 1, width);
            A mean, rstd;
            row_statistics(from, width, eps, centre, mean, rstd);
            if (centre) store(means[row], mean, call.accumulate[1] != 0);
            store(rstds[row], rstd, call.accumulate[centre ? 2 : 1] != 0);
            const auto scaled = [=](int64_t c) __attribute__((always_inline)) {
                return (static_cast<A>(from[c]) - mean) * rstd * gain[c];
            };
            if (accumulate)
                store_each(
                    y, 0, width, [=](int64_t c) __attribute__((always_inline)) {
                        return static_cast<A>(y[c]) + scaled(c);
                    });
            else
                store_each(y, 0, width, scaled);
        }
    });
}

/// The pointers of one backward call; null where there is nothing.
template <class T>
struct Gradients {
    using A = accumulator_t<T>;
    const T *x, *dy;
    const A *gain, *mean, *rstd;
    T* dx = nullptr;
    A *dgain = nullptr, *partial = nullptr;
    int64_t rows, width;
    bool accumulate_dx = false, accumulate_dgain = false;

    Gradients(const KernelCall& call, NormTargets targets, bool centre)
        : x(call.inputs[0].as<const T>()),
          dy(call.inputs.back().as<const T>()),
          gain(call.inputs[1].as<const A>()),
          mean(centre ? call.inputs[2].as<const A>() : nullptr),
          rstd(call.inputs[centre ? 3 : 2].as<const A>()),
          partial(reinterpret_cast<A*>(call.workspace.data())),
          rows(call.inputs[0].count() / call.inputs[1].count()),
          width(call.inputs[1].count()) {
        if (targets.input) {
            dx = call.outputs[0].as<T>();
            accumulate_dx = call.accumulate[0] != 0;
        }
        if (targets.gain) {
            dgain = call.outputs.back().as<A>();
            accumulate_dgain = call.accumulate.back() != 0;
        }
    }
};

/// Adds a row's dy n to `sum`; REQUIRES that the row of dx is not written yet (dx may be dy).
template <class T, class A>
void add_gain_row(const Gradients<T>& g, int64_t row, A* sum) {
    const T *x = g.x + row * g.width, *dy = g.dy + row * g.width;
    const A mean = g.mean == nullptr ? A{0} : g.mean[row], rstd = g.rstd[row];
#pragma omp simd
    for (int64_t c = 0; c < g.width; ++c)
        sum[c] += static_cast<A>(dy[c]) * ((static_cast<A>(x[c]) - mean) * rstd);
}

template <class T>
void input_row(const Gradients<T>& g, int64_t row) {
    using A = accumulator_t<T>;
    const T *x = g.x + row * g.width, *dy = g.dy + row * g.width;
    T* dx = g.dx + row * g.width;
    const A* gain = g.gain;
    const A mean = g.mean == nullptr ? A{0} : g.mean[row], rstd = g.rstd[row];
    A sum = 0, dot = 0;
#pragma omp simd reduction(+ : sum, dot)
    for (int64_t c = 0; c < g.width; ++c) {
        const A dn = static_cast<A>(dy[c]) * gain[c];
        sum += dn;
        dot += dn * ((static_cast<A>(x[c]) - mean) * rstd);
    }
    const A mean_dn = g.mean == nullptr ? A{0} : sum / static_cast<A>(g.width);
    const A mean_dot = dot / static_cast<A>(g.width);
    const bool accumulate = g.accumulate_dx;
    const auto value = [=](int64_t c) __attribute__((always_inline)) {
        const A n = (static_cast<A>(x[c]) - mean) * rstd;
        return rstd * (static_cast<A>(dy[c]) * gain[c] - mean_dn - n * mean_dot);
    };
    if (accumulate)
        store_each(
            dx, 0, g.width, [=](int64_t c) __attribute__((always_inline)) {
                return static_cast<A>(dx[c]) + value(c);
            });
    else
        store_each(dx, 0, g.width, value);
}

template <class T>
void gradients(const Gradients<T>& g) {
    using A = accumulator_t<T>;
    const GainBlocks blocks = gain_blocks(g.rows);
    parallel_for(blocks.count, 1, [&](int64_t begin, int64_t end) {
        for (int64_t block = begin; block < end; ++block) {
            A* sum = g.partial + block * g.width;
            if (g.dgain != nullptr) std::fill_n(sum, g.width, A{0});
            for (int64_t row = block * blocks.rows;
                 row < std::min(g.rows, (block + 1) * blocks.rows); ++row) {
                for (const T* from : {g.x, g.dy})
                    fetch_rows(from + (row + kRowsAhead) * g.width, 0, 1, g.width);
                if (g.dgain != nullptr) add_gain_row(g, row, sum);
                if (g.dx != nullptr) input_row(g, row);
            }
        }
    });
    if (g.dgain == nullptr) return;
    if (!g.accumulate_dgain) std::fill_n(g.dgain, g.width, A{0});
    for (int64_t block = 0; block < blocks.count; ++block) {
        const A* sum = g.partial + block * g.width;
#pragma omp simd
        for (int64_t c = 0; c < g.width; ++c) g.dgain[c] += sum[c];
    }
}

template <class T>
void forward_reference(const KernelCall& call, double eps, bool centre) {
    using A = accumulator_t<T>;
    const int64_t width = call.inputs[1].count(), rows = call.inputs[0].count() / width;
    for (int64_t row = 0; row < rows; ++row) {
        const T* x = call.inputs[0].as<const T>() + row * width;
        double mean = 0, variance = 0;
        for (int64_t c = 0; c < width; ++c)
            mean += (centre ? static_cast<double>(x[c]) : 0.0) / static_cast<double>(width);
        for (int64_t c = 0; c < width; ++c) {
            const double deviation = static_cast<double>(x[c]) - mean;
            variance += deviation * deviation / static_cast<double>(width);
        }
        const double rstd = 1.0 / std::sqrt(variance + eps);
        if (centre) store(call.outputs[1].as<A>()[row], mean, call.accumulate[1] != 0);
        store(call.outputs.back().as<A>()[row], rstd, call.accumulate.back() != 0);
        for (int64_t c = 0; c < width; ++c) {
            const auto gain = static_cast<double>(call.inputs[1].as<const A>()[c]);
            store(call.outputs[0].as<T>()[row * width + c],
                  (static_cast<double>(x[c]) - mean) * rstd * gain, call.accumulate[0] != 0);
        }
    }
}

template <class T>
void gradients_reference(const Gradients<T>& g) {
    using A = accumulator_t<T>;
    const auto n_of = [&](int64_t row, int64_t c) {
        const double mean = g.mean == nullptr ? 0.0 : static_cast<double>(g.mean[row]);
        return (static_cast<double>(g.x[row * g.width + c]) - mean) *
               static_cast<double>(g.rstd[row]);
    };
    const auto dy_of = [&](int64_t row, int64_t c) {
        return static_cast<double>(g.dy[row * g.width + c]);
    };
    for (int64_t c = 0; g.dgain != nullptr && c < g.width; ++c) {
        double sum = 0;
        for (int64_t row = 0; row < g.rows; ++row) sum += dy_of(row, c) * n_of(row, c);
        store(g.dgain[c], static_cast<A>(sum), g.accumulate_dgain);
    }
    for (int64_t row = 0; g.dx != nullptr && row < g.rows; ++row) {
        double mean_dn = 0, mean_dot = 0;
        for (int64_t c = 0; c < g.width; ++c) {
            const double dn = dy_of(row, c) * static_cast<double>(g.gain[c]);
            if (g.mean != nullptr) mean_dn += dn / static_cast<double>(g.width);
            mean_dot += dn * n_of(row, c) / static_cast<double>(g.width);
        }
        for (int64_t c = 0; c < g.width; ++c) {
            const double dn = dy_of(row, c) * static_cast<double>(g.gain[c]);
            store(g.dx[row * g.width + c],
                  static_cast<double>(g.rstd[row]) * (dn - mean_dn - n_of(row, c) * mean_dot),
                  g.accumulate_dx);
        }
    }
}

}  // namespace

void LayerNorm::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { forward<T>(call, eps_, true); });
}
void LayerNorm::run_reference(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype,
                   [&]<class T>(T) { forward_reference<T>(call, eps_, true); });
}

void RmsNorm::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { forward<T>(call, eps_, false); });
}
void RmsNorm::run_reference(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype,
                   [&]<class T>(T) { forward_reference<T>(call, eps_, false); });
}

void LayerNormBackward::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype,
                   [&]<class T>(T) { gradients(Gradients<T>(call, targets_, true)); });
}
void LayerNormBackward::run_reference(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype,
                   [&]<class T>(T) { gradients_reference(Gradients<T>(call, targets_, true)); });
}

void RmsNormBackward::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype,
                   [&]<class T>(T) { gradients(Gradients<T>(call, targets_, false)); });
}
void RmsNormBackward::run_reference(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype,
                   [&]<class T>(T) { gradients_reference(Gradients<T>(call, targets_, false)); });
}

}  // namespace headroom
