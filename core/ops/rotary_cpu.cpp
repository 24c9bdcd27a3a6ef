#include <algorithm>
#include <cmath>

#include "core/cpu/parallel.h"
#include "core/ops/dispatch.h"
#include "core/ops/rotary.h"
#include "core/ops/store.h"

namespace headroom {
namespace {

constexpr int64_t kRowGrain = 16;

double angle(const RotaryOptions& o, int64_t position, int64_t pair) {
    const double turn =
        static_cast<double>(position) *
        std::pow(o.theta, -2.0 * static_cast<double>(pair) / static_cast<double>(o.width));
    return o.inverse ? -turn : turn;
}

/// Cosines of all pairs, then sines, for each position; `frequencies` has room for one per pair.
template <class A>
void fill_table(const RotaryOptions& o, int64_t first, int64_t seq_len, double* frequencies,
                A* table) {
    const int64_t pairs = o.width / 2;
    for (int64_t j = 0; j < pairs; ++j) frequencies[j] = angle(o, 1, j);
    parallel_for(seq_len, kRowGrain, [&](int64_t begin, int64_t end) {
        for (int64_t t = begin; t < end; ++t)
            for (int64_t j = 0; j < pairs; ++j) {
                const double turn = static_cast<double>(first + t) * frequencies[j];
                table[t * o.width + j] = static_cast<A>(std::cos(turn));
                table[t * o.width + pairs + j] = static_cast<A>(std::sin(turn));
            }
    });
}

/// Turns the rotated columns of one head: pair j is x[j STEP], x[j STEP + apart].
template <int64_t STEP, class T, class A>
void turn(const T* x, const A* cosines, const A* sines, int64_t pairs, int64_t apart,
          bool accumulate, T* y) {
    if (accumulate) {
        for (int64_t j = 0; j < pairs; ++j) {
            const A a = x[j * STEP], b = x[j * STEP + apart];
            y[j * STEP] = static_cast<A>(y[j * STEP]) + a * cosines[j] - b * sines[j];
            y[j * STEP + apart] =
                static_cast<A>(y[j * STEP + apart]) + b * cosines[j] + a * sines[j];
        }
        return;
    }
#pragma omp simd
    for (int64_t j = 0; j < pairs; ++j) {
        const A a = x[j * STEP], b = x[j * STEP + apart];
        y[j * STEP] = a * cosines[j] - b * sines[j];
        y[j * STEP + apart] = b * cosines[j] + a * sines[j];
    }
}

template <class T, class A>
void copy(const T* x, int64_t count, bool accumulate, T* y) {
    if (accumulate)
        for (int64_t c = 0; c < count; ++c) y[c] = static_cast<A>(y[c]) + static_cast<A>(x[c]);
    else if (x != y)
        std::copy_n(x, count, y);
}

template <class T>
void rotate(const RotaryOptions& o, const KernelCall& call) {
    using A = accumulator_t<T>;
    const Tensor& x = call.inputs[0];
    const int64_t seq_len = x.type.shape[1], columns = x.columns(), pairs = o.width / 2;
    auto* frequencies = reinterpret_cast<double*>(call.workspace.data());
    auto* table = reinterpret_cast<A*>(frequencies + pairs);
    fill_table(o, call.step.position, seq_len, frequencies, table);
    const bool add = call.accumulate[0] != 0;
    const int64_t after = o.first + o.width;
    parallel_for(x.rows(), kRowGrain, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
            const A* cosines = table + row % seq_len * o.width;
            for (int64_t head = row * columns; head < (row + 1) * columns; head += o.d_head) {
                const T* from = x.as<const T>() + head;
                T* to = call.outputs[0].as<T>() + head;
                copy<T, A>(from, o.first, add, to);
                if (o.interleaved)
                    turn<2>(from + o.first, cosines, cosines + pairs, pairs, 1, add, to + o.first);
                else
                    turn<1>(from + o.first, cosines, cosines + pairs, pairs, pairs, add,
                            to + o.first);
                copy<T, A>(from + after, o.d_head - after, add, to + after);
            }
        }
    });
}

template <class T>
void rotate_reference(const RotaryOptions& o, const KernelCall& call) {
    const Tensor& x = call.inputs[0];
    const int64_t seq_len = x.type.shape[1], columns = x.columns(), pairs = o.width / 2;
    for (int64_t e = 0; e < x.count(); ++e) {
        const int64_t position = call.step.position + e / columns % seq_len,
                      column = e % o.d_head - o.first;
        const auto at = [&](int64_t place) { return static_cast<double>(x.as<const T>()[place]); };
        double value = at(e);
        if (column >= 0 && column < o.width) {
            const int64_t pair = o.interleaved ? column / 2 : column % pairs;
            const bool second = o.interleaved ? column % 2 == 1 : column >= pairs;
            const int64_t apart = o.interleaved ? 1 : pairs;
            const double turned = angle(o, position, pair);
            value = second ? at(e) * std::cos(turned) + at(e - apart) * std::sin(turned)
                           : at(e) * std::cos(turned) - at(e + apart) * std::sin(turned);
        }
        store(call.outputs[0].as<T>()[e], value, call.accumulate[0] != 0);
    }
}

}  // namespace

int64_t Rotary::workspace_bytes(std::span<const TensorType> in, int) const {
    const auto number = static_cast<int64_t>(size_of(accumulator_of(in[0].dtype)));
    return options_.width / 2 * static_cast<int64_t>(sizeof(double)) +
           in[0].shape[1] * options_.width * number;
}

void Rotary::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { rotate<T>(options_, call); });
}

void Rotary::run_reference(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype,
                   [&]<class T>(T) { rotate_reference<T>(options_, call); });
}

}  // namespace headroom
