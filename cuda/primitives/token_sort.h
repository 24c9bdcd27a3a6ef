#pragma once

#include <cstddef>

#include "cuda/primitives/launch.h"

namespace headroom::cuda {

/// Tokens in order and their places; no places: those of the batch.
struct SortedTokens {
    const int32_t *tokens, *places;
};

/// One byte of the tokens: a stable pass of a radix sort, without atomics. Tiles of tokens count
/// their digits; then each tile knows where its digits begin, and a token's rank among the equal
/// digits before it in the tile says where it goes.
struct SortPass {
    static constexpr int kDigits = 256;

    SortedTokens from;
    int32_t *tokens, *places;
    int32_t* counts;  ///< [tiles, kDigits]; behind them such tables of totals and of starts
    int64_t rows, tile_rows, tiles;
    int32_t most;  ///< the last token
    int shift;

    __device__ int32_t token(int64_t i) const {
        const int32_t token = from.tokens[i];
        return token < 0 ? 0 : token > most ? most : token;
    }
    __device__ int digit(int64_t i) const { return token(i) >> shift & (kDigits - 1); }
    __device__ int64_t end(int64_t tile) const {
        const int64_t end = (tile + 1) * tile_rows;
        return end < rows ? end : rows;
    }
    __device__ int32_t* table(int64_t n, int64_t tile) const {
        return counts + (n * tiles + tile) * kDigits;
    }

    __device__ void count(const Block& b, int64_t tile) const {
        for (int d = b.thread(); d < kDigits; d += b.threads()) {
            int32_t count = 0;
            for (int64_t i = tile * tile_rows; i < end(tile); ++i) count += digit(i) == d ? 1 : 0;
            table(0, tile)[d] = count;
        }
    }

    __device__ void scatter(const Block& b, int64_t tile) const {
        int32_t *totals = table(1, tile), *starts = table(2, tile);
        for (int d = b.thread(); d < kDigits; d += b.threads()) {
            int32_t before = 0, total = 0;
#pragma unroll 8
            for (int64_t t = 0; t < tiles; ++t) {
                const int32_t count = table(0, t)[d];
                total += count;
                before += t < tile ? count : 0;
            }
            totals[d] = total;
            starts[d] = before;
        }
        b.sync();
        for (int d = b.thread(); d < kDigits; d += b.threads()) {
            int32_t start = starts[d];
            for (int smaller = 0; smaller < d; ++smaller) start += totals[smaller];
            starts[d] = start;
        }
        b.sync();
        const int64_t first = tile * tile_rows;
        for (int64_t i = first + b.thread(); i < end(tile); i += b.threads()) {
            const int mine = digit(i);
            int32_t to = starts[mine];
            for (int64_t n = first; n < i; ++n) to += digit(n) == mine ? 1 : 0;
            tokens[to] = token(i);
            places[to] = from.places == nullptr ? static_cast<int32_t>(i) : from.places[i];
        }
    }
};

/// The places of a batch's tokens in the order of the tokens, equal ones in the order of the batch.
/// The work of a tile grows with the square of its rows, that of adding up counts with the square
/// of the number of tiles: both stay in the hundreds.
class TokenSort {
  public:
    TokenSort(int64_t rows, int64_t vocab_size) : rows_(rows), vocab_size_(vocab_size) {
        constexpr int64_t kMostTiles = 512;
        while (tile_rows_ * kMostTiles < rows) tile_rows_ *= 2;
        while (vocab_size > int64_t{1} << (8 * passes_)) ++passes_;
    }

    int64_t tile_rows() const { return tile_rows_; }
    int64_t tiles() const { return (rows_ + tile_rows_ - 1) / tile_rows_; }
    int passes() const { return passes_; }
    int64_t workspace_bytes() const {
        return (4 * rows_ + 3 * tiles() * SortPass::kDigits) * int64_t{sizeof(int32_t)};
    }

    /// The sorted tokens lie in the workspace. A token outside the vocabulary counts as the nearest
    /// one in it.
    SortedTokens run(cudaStream_t stream, const int32_t* tokens, std::byte* workspace) const {
        auto* numbers = reinterpret_cast<int32_t*>(workspace);
        SortedTokens from{tokens, nullptr};
        for (int n = 0; n < passes_; ++n) {
            int32_t* to = numbers + n % 2 * 2 * rows_;
            const SortPass pass{
                from,  to,         to + rows_, numbers + 4 * rows_,
                rows_, tile_rows_, tiles(),    static_cast<int32_t>(vocab_size_ - 1),
                8 * n};
            for_rows(stream, tiles(), SortPass::kDigits,
                     [=] __device__(Block & b, int64_t tile) { pass.count(b, tile); });
            for_rows(stream, tiles(), SortPass::kDigits,
                     [=] __device__(Block & b, int64_t tile) { pass.scatter(b, tile); });
            from = {to, to + rows_};
        }
        return from;
    }

  private:
    int64_t rows_, vocab_size_;
    int64_t tile_rows_ = 256;
    int passes_ = 1;
};

}  // namespace headroom::cuda
