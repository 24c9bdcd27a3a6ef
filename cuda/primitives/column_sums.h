#pragma once

#include <algorithm>

#include "cuda/primitives/aligned_vectors.h"
#include "cuda/primitives/divider.h"

namespace headroom::cuda {

/// How a sum over rows is cut, so that it fills a GPU and is always made in the same order: slice s
/// adds up rows s, s + count, s + 2 count and so on; a second launch adds up the slices.
struct RowSlices {
    int64_t rows, count;

    /// Every row a slice: nothing is added up.
    static RowSlices of_single_rows(int64_t rows) {
        RowSlices single(rows, 1);
        single.count = rows;
        return single;
    }

    /// `threads`: how many work on one row. Slices of eight rows or more, as their sums are written
    /// and read again, and at most `most_threads` threads: half of what the largest GPUs hold at
    /// once.
    RowSlices(int64_t rows_, int64_t threads, int64_t most_threads = 131072) : rows(rows_) {
        constexpr int64_t kLeastRows = 8;
        const int64_t most = std::max<int64_t>(1, most_threads / threads);
        count = std::clamp<int64_t>((rows + kLeastRows - 1) / kLeastRows, 1, most);
    }
    /// The most rows in a slice.
    constexpr int64_t each() const { return (rows + count - 1) / count; }
    /// Row `round` of a slice; where it has no such row, the last of all.
    constexpr int64_t row(int64_t slice, int64_t round) const {
        return has(slice, round) ? slice + round * count : rows - 1;
    }
    constexpr bool has(int64_t slice, int64_t round) const { return slice + round * count < rows; }
};

/// out[c] = sum over the slices of partial[slice * columns + c], in double. A block for eight
/// columns, 32 bytes of float: the least that is read at once.
template <class P, class A>
void sum_slices(cudaStream_t stream, const P* partial, int64_t slices, int64_t columns, A* out,
                bool accumulate) {
    constexpr int kTogether = 8;
    for_rows<1024>(stream, (columns + kTogether - 1) / kTogether, slices < 1024 ? 128 : 1024,
                   [=] __device__(Block & block, int64_t index) {
                       const bool alone = block.threads() < kTogether;
                       const int rows = alone ? 1 : block.threads() / kTogether;
                       const int row = alone ? 0 : block.thread() / kTogether;
                       const int64_t first = index * kTogether;
                       // All columns where the thread is alone, else one of them.
                       for (int k = block.thread() % kTogether; k < kTogether;
                            k += alone ? 1 : kTogether) {
                           const int64_t column = first + k;
                           double own = 0;
#pragma unroll 8
                           for (int64_t s = row; s < slices && column < columns; s += rows)
                               own += static_cast<double>(partial[s * columns + column]);
                           const double sum = block.sum_of_lanes<kTogether>(own);
                           if (row == 0 && column < columns) put(out[column], sum, accumulate);
                       }
                   });
}

/// The sums of the columns of a matrix of T [rows, columns] over rows.
template <class T>
class ColumnSums {
    using A = accumulator_t<T>;

  public:
    ColumnSums(int64_t rows, int64_t columns)
        : columns_(columns),
          width_(columns % kFullPack<T> == 0 ? kFullPack<T> : 1),
          slices_(rows, columns / width_) {}

    int64_t workspace_bytes() const {
        return slices_.count * columns_ * static_cast<int64_t>(sizeof(A));
    }

    /// out[c] = sum over rows of x[row, c], in float or double over a slice, then in double.
    void run(cudaStream_t stream, const T* x, std::byte* workspace, A* out, bool accumulate) const {
        A* partial = reinterpret_cast<A*>(workspace);
        if (width_ > 1 && are_aligned(x))
            add_rows<kFullPack<T>>(stream, x, partial);
        else
            add_rows<1>(stream, x, partial);
        sum_slices(stream, partial, slices_.count, columns_, out, accumulate);
    }

    /// Public, since nvcc makes device functions in public members only.
    template <int W>
    void add_rows(cudaStream_t stream, const T* x, A* partial) const {
        const int64_t rows = slices_.rows, slices = slices_.count, columns = columns_;
        const int64_t packs = columns / W;
        const Divider by_packs(packs);
        for_each(stream, slices * packs, [=] __device__(int64_t i) {
            const int64_t slice = by_packs(i), c = (i - slice * packs) * W;
            AlignedVector<A, W> sum{};
#pragma unroll 4
            for (int64_t row = slice; row < rows; row += slices) {
                const AlignedVector<A, W> values = load_wide<W>(x + row * columns + c);
#pragma unroll
                for (int k = 0; k < W; ++k) sum[k] += values[k];
            }
            put(partial + slice * columns + c, sum, false);
        });
    }

  private:
    int64_t columns_;
    int width_;
    RowSlices slices_;
};

}  // namespace headroom::cuda
