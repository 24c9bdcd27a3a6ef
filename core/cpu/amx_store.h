#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "core/cpu/amx_pack.h"
#include "core/cpu/store_each.h"
#include "core/cpu/vectors.h"

// What becomes of the sums of AmxProduct's squares of 32 x 32 once they are formed. For kernel
// sources only.

namespace headroom {

#if HEADROOM_AMX

/// store_sums for a square; whole rows are one vector of bfloat16.
template <class C>
void store_square(const float* sums, int64_t rows, int64_t columns, bool add, bool past_cache, C* c,
                  int64_t ldc) {
    if constexpr (std::is_same_v<C, float>) {
        if (past_cache && columns == kSide && !add) {
            for (int64_t r = 0; r < rows; ++r)
                for (int64_t half = 0; half < kSide; half += kAmxRows)
                    store_past_cache(_mm512_load_si512(sums + r * kSide + half),
                                     c + r * ldc + half);
            return;
        }
    }
    if constexpr (std::is_same_v<C, bf16>) {
        if (columns == kSide && !add) {
            for (int64_t r = 0; r < rows; ++r)
                _mm512_storeu_si512(c + r * ldc, std::bit_cast<__m512i>(_mm512_cvtne2ps_pbh(
                                                     _mm512_load_ps(sums + r * kSide + kAmxRows),
                                                     _mm512_load_ps(sums + r * kSide))));
            return;
        }
    }
    for (int64_t r = 0; r < rows; ++r) store_sums(sums + r * kSide, columns, add, c + r * ldc);
}

/// The sum of the squared numbers of `rows` rows of C.
inline double squared_norm_of(const float* c, int64_t rows, int64_t columns, int64_t ldc) {
    double sum = 0;
    for (int64_t r = 0; r < rows; ++r)
#pragma omp simd reduction(+ : sum)
        for (int64_t j = 0; j < columns; ++j) {
            const auto number = static_cast<double>(c[r * ldc + j]);
            sum += number * number;
        }
    return sum;
}

/// A whole square of sums on its way to C, some rows at a time: float past the cache, or bfloat16.
template <class C>
struct LeavingSquare {
    const float* sums = nullptr;
    C* c = nullptr;
    int64_t ldc = 0;

    /// True if the rows of every square of a float C are whole lines, as must be.
    static bool can_leave(const C* c, int64_t ldc) {
        return std::is_same_v<C, bf16> ||
               (reinterpret_cast<uintptr_t>(c) % kAmxRowBytes == 0 && ldc % kAmxRows == 0);
    }
};

/// The squared norm of what has left, in parts whose sums do not wait for each other.
struct LeftNorm {
    Vector<double> part0 = {}, part1 = {}, part2 = {}, part3 = {};

    [[gnu::always_inline]] void add_row(__m512 left, __m512 right) {
        add(_mm512_maskz_extractf32x8_ps(0xff, left, 0), part0);
        add(_mm512_maskz_extractf32x8_ps(0xff, left, 1), part1);
        add(_mm512_maskz_extractf32x8_ps(0xff, right, 0), part2);
        add(_mm512_maskz_extractf32x8_ps(0xff, right, 1), part3);
    }
    [[gnu::always_inline]] double sum() const {
        return sum_of_lanes<double>((part0 + part1) + (part2 + part3));
    }

  private:
    [[gnu::always_inline]] static void add(__m256 numbers, Vector<double>& part) {
        const auto wide = std::bit_cast<Vector<double>>(_mm512_maskz_cvtps_pd(0xff, numbers));
        part += wide * wide;
    }
};

/// Rows [first, end) of the square.
template <bool kNorm, class C>
[[gnu::always_inline]] inline void store_leaving(const LeavingSquare<C>& square, int64_t first,
                                                 int64_t end, LeftNorm& norm) {
    const float* from = square.sums + first * kSide;
    C* to = square.c + first * square.ldc;
    for (int64_t r = first; r < end; ++r, from += kSide, to += square.ldc) {
        const __m512 left = _mm512_load_ps(from), right = _mm512_load_ps(from + kAmxRows);
        if constexpr (std::is_same_v<C, bf16>) {
            _mm512_storeu_si512(to, std::bit_cast<__m512i>(_mm512_cvtne2ps_pbh(right, left)));
        } else {
            _mm512_stream_ps(to, left);
            _mm512_stream_ps(to + kAmxRows, right);
        }
        if constexpr (kNorm) norm.add_row(left, right);
    }
}

/// All of it. Returns its squared norm, if asked for.
template <bool kNorm, class C>
double store_whole(const LeavingSquare<C>& square) {
    LeftNorm norm;
    store_leaving<kNorm>(square, 0, kSide, norm);
    return kNorm ? norm.sum() : 0;
}

/// amx_block<true, true, true>, while a square that was finished before leaves: a thread stores
/// where it would wait for its tiles. Returns that one's squared norm, if asked for.
template <bool kNorm, class C>
[[gnu::noinline]] double amx_block_while(const AmxBlock& x, const LeavingSquare<C>& square) {
    LeftNorm norm;
    const int64_t rows = (kSide + x.depth - 1) / x.depth;
    multiply_block<true, true, true>(x, [&](int64_t l) {
        for (const WantedLines& lines : x.wanted) lines.fetch(l);
        store_leaving<kNorm>(square, std::min(l * rows, kSide), std::min((l + 1) * rows, kSide),
                             norm);
    });
    return kNorm ? norm.sum() : 0;
}

#endif

}  // namespace headroom
