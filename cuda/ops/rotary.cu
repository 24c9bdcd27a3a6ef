#include "core/ops/rotary.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/ops/dispatch.h"
#include "cuda/device/device_memory.h"
#include "cuda/kernels.h"
#include "cuda/primitives/aligned_vectors.h"

namespace headroom::cuda {
namespace {

/// cos and sin of so many full turns. Whole turns are taken off in double, which is exact, so that
/// float is enough for the rest.
template <class A>
__device__ inline void turn_by(double turns, A& cosine, A& sine) {
    const A half_turns = static_cast<A>(2 * (turns - rint(turns)));
#ifdef __CUDA_ARCH__
    sincospi(half_turns, &sine, &cosine);
#else
    cosine = cos(std::numbers::pi_v<A> * half_turns);
    sine = sin(std::numbers::pi_v<A> * half_turns);
#endif
}

/// A thread has a part of a row: a pack of each column of W pairs, or a pack of pairs, or a pack
/// that does not turn. It goes through the rows of its position in several sequences of the batch,
/// for which its angles are the same.
template <class T, int W>
struct Rotate {
    using A = accumulator_t<T>;
    const T* x;
    T* y;
    const StepContext* step;
    const double* frequencies;  ///< turns from one position to the next, per pair
    int64_t batch_size, seq_len, columns, slices, row_parts;
    int d_head, first, width, turning, parts;  ///< parts of a head, the first of which turn
    Divider by_row_parts, by_parts, by_seq_len;
    bool interleaved, accumulate;

    __device__ void operator()(int64_t i) const {
        const int64_t row = by_row_parts(i), place = i - row * row_parts;
        const int64_t head = by_parts(place);
        const int part = static_cast<int>(place - head * parts);
        const int64_t slice = by_seq_len(row), t = row - slice * seq_len;
        const int64_t at = t * columns + head * d_head;
        if (part >= turning)
            copy(slice, at + still_column(part - turning));
        else if (!interleaved)
            turn_apart(slice, t, at + first + part * W, width / 2, part * W);
        else if constexpr (W == 1)
            turn_apart(slice, t, at + first + 2 * part, 1, part);
        else
            turn_neighbours(slice, t, at + first + part * W, part * (W / 2));
    }

    __device__ int still_column(int part) const {
        return part * W < first ? part * W : part * W + width;
    }
    __device__ double turns(int64_t t, int pair) const {
        return static_cast<double>(step->position + t) * frequencies[pair];
    }

    __device__ void copy(int64_t slice, int64_t at) const {
        for (int64_t b = slice; b < batch_size; b += slices) {
            const int64_t place = b * seq_len * columns + at;
            put(y + place, load_wide<W>(x + place), accumulate);
        }
    }

    /// (a, b) -> (a cos - b sin, b cos + a sin), a and b so many columns apart.
    __device__ void turn_apart(int64_t slice, int64_t t, int64_t at, int apart, int pair) const {
        AlignedVector<A, W> cosines, sines;
#pragma unroll
        for (int k = 0; k < W; ++k) turn_by<A>(turns(t, pair + k), cosines[k], sines[k]);
#pragma unroll 2
        for (int64_t b = slice; b < batch_size; b += slices) {
            const int64_t place = b * seq_len * columns + at, other = place + apart;
            const AlignedVector<A, W> left = load_wide<W>(x + place),
                                      right = load_wide<W>(x + other);
            AlignedVector<A, W> new_left, new_right;
#pragma unroll
            for (int k = 0; k < W; ++k) {
                new_left[k] = left[k] * cosines[k] - right[k] * sines[k];
                new_right[k] = right[k] * cosines[k] + left[k] * sines[k];
            }
            put(y + place, new_left, accumulate);
            put(y + other, new_right, accumulate);
        }
    }

    /// The same for W / 2 pairs of neighbours.
    __device__ void turn_neighbours(int64_t slice, int64_t t, int64_t at, int pair) const {
        AlignedVector<A, W> cosines, sines;
#pragma unroll
        for (int k = 0; k < W / 2; ++k) turn_by<A>(turns(t, pair + k), cosines[k], sines[k]);
#pragma unroll 2
        for (int64_t b = slice; b < batch_size; b += slices) {
            const int64_t place = b * seq_len * columns + at;
            const AlignedVector<A, W> values = load_wide<W>(x + place);
            AlignedVector<A, W> turned;
#pragma unroll
            for (int k = 0; k + 1 < W; k += 2) {
                const A c = cosines[k / 2], s = sines[k / 2];
                turned[k] = values[k] * c - values[k + 1] * s;
                turned[k + 1] = values[k + 1] * c + values[k] * s;
            }
            put(y + place, turned, accumulate);
        }
    }
};

/// Whether heads and their rotated columns are full packs.
template <class T>
bool are_packs(const RotaryOptions& o) {
    constexpr int64_t kWidth = kFullPack<T>;
    const int64_t turned = o.interleaved ? o.width : o.width / 2;
    return o.d_head % kWidth == 0 && o.first % kWidth == 0 && turned % kWidth == 0;
}

template <class T, int W>
void rotate(const Call& call, const RotaryOptions& o, const double* frequencies) {
    const T* x = call.inputs[0].as<const T>();
    T* y = call.outputs[0].as<T>();
    const Shape& shape = call.inputs[0].type.shape;
    const bool accumulate = call.accumulate[0] != 0;
    // Columns that do not turn are where they belong if y is x.
    const int64_t still = x == y && !accumulate ? 0 : o.d_head - o.width;
    const int64_t turning = (o.interleaved && W > 1 ? o.width : o.width / 2) / W;
    const int64_t parts = turning + still / W, row_parts = shape[2] / o.d_head * parts;
    // Enough threads to fill a GPU; with more sequences each makes its angles for several.
    constexpr int64_t kThreads = 262144;
    const int64_t slices = std::clamp<int64_t>(kThreads / (shape[1] * row_parts), 1, shape[0]);
    for_each(call.stream, slices * shape[1] * row_parts,
             Rotate<T, W>{.x = x,
                          .y = y,
                          .step = call.step,
                          .frequencies = frequencies,
                          .batch_size = shape[0],
                          .seq_len = shape[1],
                          .columns = shape[2],
                          .slices = slices,
                          .row_parts = row_parts,
                          .d_head = static_cast<int>(o.d_head),
                          .first = static_cast<int>(o.first),
                          .width = static_cast<int>(o.width),
                          .turning = static_cast<int>(turning),
                          .parts = static_cast<int>(parts),
                          .by_row_parts = Divider(row_parts),
                          .by_parts = Divider(parts),
                          .by_seq_len = Divider(shape[1]),
                          .interleaved = o.interleaved,
                          .accumulate = accumulate});
}

/// θ^(-2j/width) of every pair, in turns, backwards for the inverse.
std::vector<double> frequencies_of(const RotaryOptions& o) {
    std::vector<double> turns;
    for (int64_t j = 0; j < o.width / 2; ++j) {
        const double angle =
            std::pow(o.theta, -2.0 * static_cast<double>(j) / static_cast<double>(o.width));
        turns.push_back((o.inverse ? -angle : angle) / (2 * std::numbers::pi));
    }
    return turns;
}

}  // namespace

static Kernel rotary_kernel(const Op& op, Types) {
    const RotaryOptions options = dynamic_cast<const Rotary&>(op).options();
    return [options, table = make_table(frequencies_of(options))](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
            const bool aligned =
                are_aligned(call.inputs[0].as<const T>(), call.outputs[0].as<const T>());
            if (aligned && are_packs<T>(options))
                rotate<T, kFullPack<T>>(call, options, table->data());
            else
                rotate<T, 1>(call, options, table->data());
        });
    };
}

const RegisteredKernel kRotaryKernels[] = {{"rotary", rotary_kernel}};

}  // namespace headroom::cuda
