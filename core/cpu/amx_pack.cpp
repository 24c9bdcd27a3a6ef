#include "core/cpu/amx_pack.h"

#include <algorithm>

#include "core/cpu/parallel.h"
#include "core/cpu/tile_product.h"

#if HEADROOM_AMX

namespace headroom {
namespace {

/// A square of a stored matrix: where it lies, or a copy filled up with zeros.
class StoredSquare {
  public:
    StoredSquare(const bf16* from, int64_t stride, int64_t rows, int64_t columns) {
        if (rows >= kSide && columns >= kSide) {
            data_ = from, stride_ = stride;
            return;
        }
        std::fill_n(copy_, kSquare, bf16{});
        for (int64_t r = 0; r < std::min(rows, kSide); ++r)
            std::copy_n(from + r * stride, std::min(columns, kSide), copy_ + r * kSide);
        data_ = copy_, stride_ = kSide;
    }
    StoredSquare(const StoredSquare&) = delete;
    StoredSquare& operator=(const StoredSquare&) = delete;

    const bf16* row(int64_t r) const { return data_ + r * stride_; }

  private:
    const bf16* data_;
    int64_t stride_;
    alignas(64) bf16 copy_[kSquare];
};

/// 32 numbers.
void copy_row(const bf16* from, bf16* to) {
    _mm512_storeu_si512(to, _mm512_loadu_si512(from));
}

/// 16 pairs of rows, 16 columns from `column` on: pair by pair, the columns interleaved.
void pair_rows(const StoredSquare& from, int64_t column, bf16* to, int64_t to_stride) {
    for (int64_t l = 0; l < kAmxRows; ++l)
        FactorVector<bf16>(from.row(2 * l) + column, from.row(2 * l + 1) + column)
            .store(to + l * to_stride);
}

/// 16 x 16 units of two numbers, rows 64 bytes apart, to columns `to_stride` numbers apart.
void turn_units(const bf16* from, bf16* to, int64_t to_stride) {
    transpose_square(reinterpret_cast<const uint32_t*>(from), kAmxRows,
                     reinterpret_cast<uint32_t*>(to), to_stride / 2);
}

/// The square as the upper and the lower tile of a left factor: row by row. `transposed`: it is
/// stored [depth, rows].
void pack_left(const StoredSquare& from, bool transposed, bf16* to) {
    if (!transposed) {
        for (int64_t r = 0; r < kSide; ++r) copy_row(from.row(r), to + r * kSide);
        return;
    }
    alignas(64) bf16 pairs[kAmxRows * kAmxDepth];
    for (int64_t half = 0; half < 2; ++half) {
        pair_rows(from, half * kAmxRows, pairs, kAmxDepth);
        turn_units(pairs, to + half * kAmxRows * kAmxDepth, kAmxDepth);
    }
}

/// The square as the left and the right tile of a right factor: steps of 32 columns. `transposed`:
/// it is stored [columns, depth].
void pack_right(const StoredSquare& from, bool transposed, bf16* to) {
    alignas(64) bf16 rows[kAmxRows * kAmxDepth];
    for (int64_t half = 0; half < 2; ++half) {
        if (!transposed) {
            pair_rows(from, half * kAmxRows, to + half * kAmxDepth, 2 * kAmxDepth);
            continue;
        }
        for (int64_t r = 0; r < kAmxRows; ++r)
            copy_row(from.row(half * kAmxRows + r), rows + r * kAmxDepth);
        turn_units(rows, to + half * kAmxDepth, 2 * kAmxDepth);
    }
}

/// Rows `r` and the next of a square in panels, whose numbers lie beside each other.
void part_pair(const bf16* square, int64_t r, bf16* upper, bf16* lower) {
    for (int64_t c = 0; c < kSide; c += kAmxRows) {
        const __m512i pairs = _mm512_loadu_si512(square + r * kSide + 2 * c);
        _mm256_store_si256(reinterpret_cast<__m256i*>(upper + c),
                           _mm512_maskz_cvtepi32_epi16(0xffff, pairs));
        _mm256_store_si256(
            reinterpret_cast<__m256i*>(lower + c),
            _mm512_maskz_cvtepi32_epi16(0xffff, _mm512_maskz_srli_epi32(0xffff, pairs, 16)));
    }
}

/// The transpose of a square of a weight in panels as a square of a right factor.
void pack_turned(const bf16* from, bf16* to) {
    alignas(64) bf16 rows[kSide][kAmxDepth];
    for (int64_t r = 0; r < kSide; r += 2) part_pair(from, r, rows[r], rows[r + 1]);
    for (int64_t half = 0; half < 2; ++half)
        turn_units(rows[half * kAmxRows], to + half * kAmxDepth, 2 * kAmxDepth);
}

/// A stored matrix, packed square by square: to [panels, depth, square]. Its stored rows are the
/// panels' or, `across`, the depth's.
template <class PackSquare>
void pack(const bf16* from, int64_t stride, int64_t rows, int64_t columns, bool across, bool alone,
          bf16* to, PackSquare&& pack_square) {
    const int64_t depth = std::max<int64_t>(squares(across ? rows : columns), 1);
    const int64_t down = std::max<int64_t>(squares(rows), 1),
                  right = std::max<int64_t>(squares(columns), 1);
    parallel_for(down, alone ? down : 1, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r)
            for (int64_t c = 0; c < right; ++c)
                pack_square(StoredSquare(from + r * kSide * stride + c * kSide, stride,
                                         rows - r * kSide, columns - c * kSide),
                            to + (across ? c * depth + r : r * depth + c) * kSquare);
    });
}

}  // namespace

void pack_left_factor(const GemmShape& s, const bf16* a, bool alone, bf16* to) {
    const auto pack_square = [&](const StoredSquare& from, bf16* square) {
        pack_left(from, s.a_transposed, square);
    };
    if (s.a_transposed)
        pack(a, s.lda, s.k, s.m, true, alone, to, pack_square);
    else
        pack(a, s.lda, s.m, s.k, false, alone, to, pack_square);
}

void pack_right_factor(const GemmShape& s, const bf16* b, int64_t column, bool alone, bf16* to) {
    if (s.b_panels) {  // transposed: stored panels are squares of the depth
        const int64_t panels = squares(s.n), depth = squares(s.k), first = column / kSide;
        parallel_for(panels, alone ? panels : 1, [&](int64_t begin, int64_t end) {
            for (int64_t p = begin; p < end; ++p)
                for (int64_t l = 0; l < depth; ++l)
                    pack_turned(b + l * s.ldb + (first + p) * kSquare,
                                to + (p * depth + l) * kSquare);
        });
        return;
    }
    const auto pack_square = [&](const StoredSquare& from, bf16* square) {
        pack_right(from, s.b_transposed, square);
    };
    if (s.b_transposed)
        pack(b + column * s.ldb, s.ldb, s.n, s.k, false, alone, to, pack_square);
    else
        pack(b + column, s.ldb, s.k, s.n, true, alone, to, pack_square);
}

}  // namespace headroom

#endif
