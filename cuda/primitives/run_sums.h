#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cuda/primitives/aligned_vectors.h"

namespace headroom::cuda {

/// One piece of rows whose equal keys lie behind one another. S: of the rows, A: of the sums.
template <class S, class A, int W>
struct AddRuns {
    static constexpr int kPiece = 32;
    static constexpr int32_t kNone = -1;  ///< the key of a row that is none

    const S* x;
    const int32_t *keys, *places;  ///< places null: row i is row i of x
    int64_t count, columns;
    A* out;
    A* parts;  ///< of runs that cross an edge of the piece: its rows 2 piece and 2 piece + 1
    int32_t* part_keys;

    __device__ void operator()(const Block& b, int64_t piece) const {
        const int64_t first = piece * kPiece, end = first + rows_of(piece);
        const bool begun = first > 0 && keys[first] != kNone && keys[first - 1] == keys[first];
        const bool goes_on = end < count && keys[end] != kNone && keys[end - 1] == keys[end];
        for (int64_t c = int64_t{b.thread()} * W; c < columns; c += int64_t{b.threads()} * W)
            add_columns(piece, c, begun, goes_on);
        if (b.thread() != 0 || part_keys == nullptr) return;
        part_keys[2 * piece] = begun ? keys[first] : kNone;
        part_keys[2 * piece + 1] = goes_on ? keys[end - 1] : kNone;
    }

    __device__ int rows_of(int64_t piece) const {
        const int64_t left = count - piece * kPiece;
        return static_cast<int>(left < kPiece ? left : kPiece);
    }

    /// Four rows are read before any is added.
    __device__ void add_columns(int64_t piece, int64_t column, bool begun, bool goes_on) const {
        constexpr int kAtOnce = 4;
        const int32_t* key = keys + piece * kPiece;
        const int n = rows_of(piece);
        AlignedVector<A, W> sum{};
        for (int i = 0; i < n; i += kAtOnce) {
            AlignedVector<S, W> rows[kAtOnce];
#pragma unroll
            for (int q = 0; q < kAtOnce; ++q)
                if (i + q < n && key[i + q] != kNone)
                    rows[q] = load<W>(x + row_of(piece * kPiece + i + q) * columns + column);
#pragma unroll
            for (int q = 0; q < kAtOnce; ++q) {
                if (i + q >= n || key[i + q] == kNone) continue;
                const AlignedVector<A, W> values = widened(rows[q]);
#pragma unroll
                for (int k = 0; k < W; ++k) sum[k] += values[k];
                const bool last = i + q + 1 == n;
                if (!last && key[i + q + 1] == key[i + q]) continue;
                finish(piece, column, key[i + q], begun, last && goes_on, sum);
                sum = {};
                begun = false;
            }
        }
    }

    /// A run that ends in a later piece has keys in both parts, so that its parts are a run again.
    __device__ void finish(int64_t piece, int64_t column, int32_t key, bool begun, bool goes_on,
                           const AlignedVector<A, W>& sum) const {
        A* part = parts + 2 * piece * columns + column;
        if (begun) put(part, sum, false);
        if (goes_on) put(part + columns, begun ? AlignedVector<A, W>{} : sum, false);
        if (!begun && !goes_on) put(out + int64_t{key} * columns + column, sum, true);
    }

    __device__ int64_t row_of(int64_t i) const {
        return places == nullptr ? i : places[i];
    }
};

/// Adds up rows whose keys are equal, which lie behind one another: out[key] += sum. Pieces of rows
/// are added by a block each; of a run that crosses the edge of a piece, every piece leaves its
/// part to the next level, which adds up the parts in the same way. So no block adds up a long run
/// alone, and all sums have a fixed order.
template <class T>
class RunSums {
    using A = accumulator_t<T>;

  public:
    RunSums(int64_t rows, int64_t columns) : columns_(columns), levels_{rows} {
        while (pieces(levels_.back()) > 1) levels_.push_back(2 * pieces(levels_.back()));
    }

    /// The number of rows at every level: of those that are added up, and of parts.
    const std::vector<int64_t>& levels() const { return levels_; }
    int64_t workspace_bytes() const {
        int64_t bytes = 0;
        for (size_t n = 1; n < levels_.size(); ++n) bytes += level_bytes(n);
        return bytes;
    }

    /// Row i is row places[i] of x [.., columns], its key keys[i] >= 0.
    void run(cudaStream_t stream, const T* x, const int32_t* keys, const int32_t* places,
             std::byte* workspace, A* out) const {
        add_level(stream, x, levels_[0], keys, places, 1, workspace, out);
        for (size_t n = 1; n < levels_.size(); ++n) {
            const A* parts = reinterpret_cast<const A*>(workspace);
            const int32_t* part_keys = keys_of(n, workspace);
            workspace += level_bytes(n);
            add_level(stream, parts, levels_[n], part_keys, nullptr, n + 1, workspace, out);
        }
    }

  private:
    static constexpr int64_t kPiece = AddRuns<A, A, 1>::kPiece;
    static int64_t pieces(int64_t rows) { return (rows + kPiece - 1) / kPiece; }

    /// Parts, then their keys, up to a multiple of 64 bytes.
    int64_t level_bytes(size_t n) const {
        const int64_t row = columns_ * static_cast<int64_t>(sizeof(A)) + 4;
        return (levels_[n] * row + 63) / 64 * 64;
    }
    int32_t* keys_of(size_t n, std::byte* level) const {
        return reinterpret_cast<int32_t*>(reinterpret_cast<A*>(level) + levels_[n] * columns_);
    }

    template <class S>
    void add_level(cudaStream_t stream, const S* x, int64_t count, const int32_t* keys,
                   const int32_t* places, size_t next, std::byte* next_level, A* out) const {
        A* parts = reinterpret_cast<A*>(next_level);
        int32_t* part_keys = next < levels_.size() ? keys_of(next, next_level) : nullptr;
        const auto add = [&]<int W>() {
            const int64_t packs = columns_ / W,
                          warps = std::clamp<int64_t>((packs + 31) / 32, 1, 8);
            for_rows(stream, pieces(count), static_cast<int>(32 * warps),
                     AddRuns<S, A, W>{x, keys, places, count, columns_, out, parts, part_keys});
        };
        constexpr int kFull = kFullPack<S>;
        if (columns_ % kFull == 0 && are_aligned(x, out, parts))
            add.template operator()<kFull>();
        else
            add.template operator()<1>();
    }

    int64_t columns_;
    std::vector<int64_t> levels_;
};

}  // namespace headroom::cuda
