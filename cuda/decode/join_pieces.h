#pragma once

#include <cmath>

#include "cuda/decode/decoding.h"
#include "cuda/primitives/block_thread.h"

namespace headroom::cuda {

/// A block for each row of the output: what the pieces of the context left, added up.
template <class T>
struct JoinPieces {
    using A = accumulator_t<T>;
    static constexpr int kThreads = 64;
    static constexpr int kPiecesOfLane = static_cast<int>(kMostPieces) / 32;
    static constexpr int64_t kSharedBytes = kMostPieces * int64_t{sizeof(A)};

    const Decoding<T>& d;

    /// out = sum over pieces of e^(m_p - m) sums_p / sum over pieces of e^(m_p - m) total_p. Every
    /// warp finds m and the sum of the totals, in one order; the factors lie in shared memory.
    __device__ void run(const BlockThread& thread) const {
        const int row = thread.block_x(), width = d.plan.out_width;
        const int pieces = pieces_of(row);
        const A total = lay_factors(thread, row, pieces);
        thread.sync();
        for (int c = thread.thread(); c < width; c += kThreads) {
            A sum = 0;
#pragma unroll 4
            for (int p = 0; p < pieces; ++p)
                sum += thread.template load<A>(place(p)) * d.part(row, p)[c];
            put(d.out[int64_t{row} * width + c], pieces > 0 ? sum / total : A(0), d.accumulate);
        }
    }

  private:
    /// Pieces of which the row attends to a position.
    __device__ int pieces_of(int row) const {
        const SeenContext context = d.seen();
        const int of_head = d.plan.by_n_head(row);
        const int t = of_head - d.plan.by_rows(of_head) * d.plan.rows;
        const int seen = context.of_row(t);
        return seen > 0 ? (seen - 1) / context.length + 1 : 0;
    }

    __device__ A lay_factors(const BlockThread& thread, int row, int pieces) const {
        A most[kPiecesOfLane], highest = -INFINITY, total = 0;
#pragma unroll
        for (int n = 0; n < kPiecesOfLane; ++n) {
            const int p = thread.lane() + 32 * n;
            most[n] = p < pieces ? d.part(row, p)[d.plan.out_width] : -INFINITY;
            highest = most[n] > highest ? most[n] : highest;
        }
        for (int apart = 16; apart > 0; apart /= 2) {
            const A other = thread.shuffle_xor(highest, apart);
            highest = other > highest ? other : highest;
        }
#pragma unroll
        for (int n = 0; n < kPiecesOfLane; ++n) {
            const int p = thread.lane() + 32 * n;
            if (p >= pieces) continue;
            const A factor = exp(most[n] - highest);
            total += factor * d.part(row, p)[d.plan.out_width + 1];
            if (thread.warp() == 0) thread.store(place(p), factor);
        }
        for (int apart = 16; apart > 0; apart /= 2) total += thread.shuffle_xor(total, apart);
        return total;
    }

    __device__ static uint32_t place(int piece) {
        return static_cast<uint32_t>(piece) * static_cast<uint32_t>(sizeof(A));
    }
};

}  // namespace headroom::cuda
