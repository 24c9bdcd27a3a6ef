#include "core/cpu/amx_pack.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/cpu/fetch_rows.h"
#include "core/cpu/parallel.h"
#include "core/cpu/tile_product.h"

#if HEADROOM_AMX

namespace headroom {
namespace {

/// A square of a stored matrix: where it lies, or a copy filled up with zeros.
template <class E>
class StoredSquare {
  public:
    StoredSquare(const E* from, int64_t stride, int64_t rows, int64_t columns) {
        if (rows >= kSide && columns >= kSide) {
            data_ = from, stride_ = stride;
            return;
        }
        std::fill_n(copy_, kSquare, E{});
        for (int64_t r = 0; r < std::min(rows, kSide); ++r)
            std::copy_n(from + r * stride, std::min(columns, kSide), copy_ + r * kSide);
        data_ = copy_, stride_ = kSide;
    }
    StoredSquare(const StoredSquare&) = delete;
    StoredSquare& operator=(const StoredSquare&) = delete;

    const E* row(int64_t r) const { return data_ + r * stride_; }

  private:
    const E* data_;
    int64_t stride_;
    alignas(64) E copy_[kSquare];
};

/// Columns of a square that lie beside each other in a packed one, or rows below each other, are
/// moved in units of two numbers: pairs of the depth.
constexpr int64_t kUnits = kAmxRows;
constexpr int64_t kRowOfPairs = 2 * kSide;  ///< numbers of two rows of a square, in panels

/// 16 x 16 units of two numbers, rows 64 bytes apart, to columns `to_stride` numbers apart.
void turn_units(const bf16* from, bf16* to, int64_t to_stride) {
    transpose_square(reinterpret_cast<const uint32_t*>(from), kUnits,
                     reinterpret_cast<uint32_t*>(to), to_stride / 2);
}

/// A pair of the depth in 16 rows or columns, of each part.
template <class E>
struct Pairs;

template <>
struct Pairs<bf16> {
    __m512i parts[1];

    /// Row r of the square: its columns are the depth, in pairs as they lie.
    static Pairs along(const StoredSquare<bf16>& from, int64_t r) {
        return {{_mm512_loadu_si512(from.row(r))}};
    }
    /// Rows 2 l and 2 l + 1 of the square are the pair, 16 columns from `column` on.
    static Pairs across(const StoredSquare<bf16>& from, int64_t l, int64_t column) {
        Pairs pairs;
        FactorVector<bf16>(from.row(2 * l) + column, from.row(2 * l + 1) + column)
            .store(reinterpret_cast<bf16*>(&pairs.parts[0]));
        return pairs;
    }
};

/// Half a unit in the last place of a bfloat16 number, and where that number lies in a float.
constexpr int kHalf = 0x8000, kUpper = static_cast<int>(0xffff0000);

template <>
struct Pairs<float> {
    __m512i parts[3];

    static Pairs along(const StoredSquare<float>& from, int64_t r) {
        return split(from.row(r), from.row(r) + kAmxRows);
    }
    static Pairs across(const StoredSquare<float>& from, int64_t l, int64_t column) {
        return split(from.row(l) + column, from.row(l + kAmxRows) + column);
    }

  private:
    /// Rounds to the nearest, away from zero in the middle. Numbers from 2^128 - 2^119 on become
    /// infinite, and the rest of an infinite number is NaN. One NaN with all bits set becomes zero
    /// here, but is left over as the rest.
    static __m512 rounded(__m512 x) {
        const __m512i bits = _mm512_add_epi32(_mm512_castps_si512(x), _mm512_set1_epi32(kHalf));
        return _mm512_castsi512_ps(_mm512_and_si512(bits, _mm512_set1_epi32(kUpper)));
    }
    /// The upper halves of both.
    static __m512i pair(__m512 first, __m512 second) {
        const __m512i lower = _mm512_maskz_srli_epi32(0xffff, _mm512_castps_si512(first), 16);
        const __m512i upper =
            _mm512_and_si512(_mm512_castps_si512(second), _mm512_set1_epi32(kUpper));
        return _mm512_or_si512(lower, upper);
    }
    static Pairs split(const float* first, const float* second) {
        __m512 x = _mm512_loadu_ps(first), y = _mm512_loadu_ps(second);
        Pairs pairs;
        for (int part = 0; part < 2; ++part) {
            const __m512 high_x = rounded(x), high_y = rounded(y);
            pairs.parts[part] = pair(high_x, high_y);
            x -= high_x, y -= high_y;
        }
        pairs.parts[2] = pair(x, y);
        return pairs;
    }
};

/// The square as the upper and the lower tile of a left factor: row by row. `transposed`: it is
/// stored [depth, rows].
template <class E>
void pack_left(const StoredSquare<E>& from, bool transposed, bf16* to) {
    if (!transposed) {
        for (int64_t r = 0; r < kSide; ++r) {
            const auto pairs = Pairs<E>::along(from, r);
            for (int64_t p = 0; p < kParts<E>; ++p)
                _mm512_store_si512(to + p * kSquare + r * kSide, pairs.parts[p]);
        }
        return;
    }
    alignas(64) bf16 tiles[kParts<E>][kUnits * kAmxDepth];
    for (int64_t half = 0; half < 2; ++half) {
        for (int64_t l = 0; l < kUnits; ++l) {
            const auto pairs = Pairs<E>::across(from, l, half * kAmxRows);
            for (int64_t p = 0; p < kParts<E>; ++p)
                _mm512_store_si512(tiles[p] + l * kAmxDepth, pairs.parts[p]);
        }
        for (int64_t p = 0; p < kParts<E>; ++p)
            turn_units(tiles[p], to + p * kSquare + half * kAmxRows * kAmxDepth, kAmxDepth);
    }
}

/// The square as the left and the right tile of a right factor: steps of 32 columns. `transposed`:
/// it is stored [columns, depth].
template <class E>
void pack_right(const StoredSquare<E>& from, bool transposed, bf16* to) {
    alignas(64) bf16 tiles[kParts<E>][kUnits * kAmxDepth];
    for (int64_t half = 0; half < 2; ++half) {
        for (int64_t l = 0; l < kUnits; ++l) {
            const auto pairs = transposed ? Pairs<E>::along(from, half * kAmxRows + l)
                                          : Pairs<E>::across(from, l, half * kAmxRows);
            for (int64_t p = 0; p < kParts<E>; ++p)
                _mm512_store_si512(transposed
                                       ? tiles[p] + l * kAmxDepth
                                       : to + p * kSquare + 2 * l * kAmxDepth + half * kAmxDepth,
                                   pairs.parts[p]);
        }
        if (!transposed) continue;
        for (int64_t p = 0; p < kParts<E>; ++p)
            turn_units(tiles[p], to + p * kSquare + half * kAmxDepth, 2 * kAmxDepth);
    }
}

/// Eight numbers each of four pairs of rows of a square in panels, every other pair.
__m512i every_other_row(const bf16* from) {
    const auto units = [&](int64_t row) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 2 * row * kRowOfPairs));
    };
    __m512i v = _mm512_zextsi128_si512(units(0));
    v = _mm512_maskz_inserti32x4(0xffff, v, units(1), 1);
    v = _mm512_maskz_inserti32x4(0xffff, v, units(2), 2);
    return _mm512_maskz_inserti32x4(0xffff, v, units(3), 3);
}

/// The transpose of a square of a weight in panels as a square of a right factor: its columns 2 l
/// and 2 l + 1 are a pair of the depth. Four numbers of two rows and two columns move together, of
/// which the two in the middle change places.
void pack_turned(const bf16* from, bf16* to) {
    const __m512i turned = _mm512_maskz_broadcast_i32x4(
        0xffff, _mm_setr_epi8(0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15));
    constexpr int64_t kRows = 8;  // pairs of rows of half a square
    for (int64_t l = 0; l < kAmxRows; l += 2)
        for (int64_t half = 0; half < 2; ++half) {
            const bf16* at = from + half * kRows * kRowOfPairs + l * 4;
            const __m512i even = _mm512_shuffle_epi8(every_other_row(at), turned),
                          odd = _mm512_shuffle_epi8(every_other_row(at + kRowOfPairs), turned);
            bf16* const pair = to + l * kRowOfPairs + half * kAmxDepth;
            _mm512_store_si512(pair, _mm512_maskz_unpacklo_epi64(0xff, even, odd));
            _mm512_store_si512(pair + kRowOfPairs, _mm512_maskz_unpackhi_epi64(0xff, even, odd));
        }
}

/// A stored matrix, packed square by square: to [panels, depth, kPackedSquare]. Its stored rows are
/// the panels' or, `across`, the depth's.
template <class E, class PackSquare>
void pack(const E* from, int64_t stride, int64_t rows, int64_t columns, bool across, bool alone,
          bf16* to, PackSquare&& pack_square) {
    const int64_t depth = std::max<int64_t>(squares(across ? rows : columns), 1);
    const int64_t down = std::max<int64_t>(squares(rows), 1),
                  right = std::max<int64_t>(squares(columns), 1);
    parallel_for(down, alone ? down : 1, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r)
            for (int64_t c = 0; c < right; ++c) {
                const E* const square = from + r * kSide * stride + c * kSide;
                if (c + 1 < right && (r + 1) * kSide <= rows)
                    fetch_rows(square + kSide, stride, kSide, kSide);
                pack_square(StoredSquare<E>(square, stride, rows - r * kSide, columns - c * kSide),
                            to + (across ? c * depth + r : r * depth + c) * kPackedSquare<E>);
            }
    });
}

}  // namespace

template <class E>
void pack_left_factor(const GemmShape& s, const E* a, bool alone, bf16* to) {
    const auto pack_square = [&](const StoredSquare<E>& from, bf16* square) {
        pack_left(from, s.a_transposed, square);
    };
    if (s.a_transposed)
        pack(a, s.lda, s.k, s.m, true, alone, to, pack_square);
    else
        pack(a, s.lda, s.m, s.k, false, alone, to, pack_square);
}

template <class E>
void pack_right_factor(const GemmShape& s, const E* b, int64_t column, bool alone, bf16* to) {
    if (s.b_panels) {  // transposed: stored panels are squares of the depth
        if constexpr (std::is_same_v<E, bf16>) {
            const int64_t panels = squares(s.n), depth = squares(s.k), first = column / kSide;
            parallel_for(panels, alone ? panels : 1, [&](int64_t begin, int64_t end) {
                for (int64_t p = begin; p < end; ++p)
                    for (int64_t l = 0; l < depth; ++l) {
                        const bf16* const square = b + l * s.ldb + (first + p) * kSquare;
                        if (l + 1 < depth) fetch_rows(square + s.ldb, kSide, kSide, kSide);
                        pack_turned(square, to + (p * depth + l) * kSquare);
                    }
            });
            return;
        }
        CHECK(false, "panels hold bfloat16 alone");
    }
    const auto pack_square = [&](const StoredSquare<E>& from, bf16* square) {
        pack_right(from, s.b_transposed, square);
    };
    if (s.b_transposed)
        pack(b + column * s.ldb, s.ldb, s.n, s.k, false, alone, to, pack_square);
    else
        pack(b + column, s.ldb, s.k, s.n, true, alone, to, pack_square);
}

template void pack_left_factor(const GemmShape&, const bf16*, bool, bf16*);
template void pack_left_factor(const GemmShape&, const float*, bool, bf16*);
template void pack_right_factor(const GemmShape&, const bf16*, int64_t, bool, bf16*);
template void pack_right_factor(const GemmShape&, const float*, int64_t, bool, bf16*);

}  // namespace headroom

#endif
