#pragma once

#include <cmath>

#include "cuda/attention/tile_rows.h"
#include "cuda/attention/warp_tile.h"

namespace headroom::cuda {

/// What a warp carries from one tile of keys to the next, for each of its 16 M rows: Dao 2023,
/// arXiv:2307.08691, algorithm 1.
template <int M, int kValueWidth>
struct RunningRows {
    Sums<M, kValueWidth> out;
    float most[M][2], total[M][2];  ///< `most` is not scaled; `total` is of this lane alone

    __device__ void clear() {
        out.clear();
        for (int m = 0; m < M; ++m)
            for (int half = 0; half < 2; ++half) most[m][half] = -INFINITY, total[m][half] = 0;
    }

    /// Scores become weights, relative to the running maximum. kMaySeeNothing: a row may have met
    /// nothing but -inf so far.
    template <bool kMaySeeNothing, int kKeys>
    __device__ void weigh(const BlockThread& t, Sums<M, kKeys>& s, float scale_log2) {
#pragma unroll
        for (int m = 0; m < M; ++m)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                float highest = most[m][half], sum = 0;
#pragma unroll
                for (int n = 0; n < kKeys / 8; ++n)
#pragma unroll
                    for (int e = 2 * half; e < 2 * half + 2; ++e)
                        highest = s.x[m][n][e] > highest ? s.x[m][n][e] : highest;
                highest = most_of_row<4>(t, highest);
                // What is relative to nothing is 2^-inf: no weight at all.
                const float base = kMaySeeNothing && highest == -INFINITY ? 0.0f : highest;
                const float rescale = power_of_two((most[m][half] - base) * scale_log2);
                most[m][half] = highest;
                const float subtract = base * scale_log2;
#pragma unroll
                for (int n = 0; n < kKeys / 8; ++n)
#pragma unroll
                    for (int e = 2 * half; e < 2 * half + 2; ++e) {
                        s.x[m][n][e] = power_of_two(s.x[m][n][e] * scale_log2 - subtract);
                        sum += s.x[m][n][e];
                    }
                total[m][half] = total[m][half] * rescale + sum;
#pragma unroll
                for (int n = 0; n < kValueWidth / 8; ++n)
#pragma unroll
                    for (int e = 2 * half; e < 2 * half + 2; ++e) out.x[m][n][e] *= rescale;
            }
    }
};

}  // namespace headroom::cuda
