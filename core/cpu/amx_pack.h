#pragma once

#include <cstdint>
#include <type_traits>

#include "core/cpu/amx_tiles.h"
#include "core/cpu/gemm.h"
#include "core/cpu/weight_panels.h"

// The factors of AmxProduct as its tiles read them: squares of 32 x 32 numbers, two tiles one above
// the other for the left factor, one beside the other for the right. A panel is the squares of 32
// rows of the left factor, or of 32 columns of the right one, over the depth.
//
// A float32 number is the sum of three bfloat16 numbers: itself rounded to eight bits, the rest
// rounded, and what is left, which fits. A square of float32 is three squares of these parts, the
// largest first. Its row l pairs number l of the depth with number 16 + l, in both factors.

namespace headroom {

inline constexpr int64_t kSide = 2 * kAmxRows, kSquare = kSide * kSide;  ///< of a square
static_assert(kSide == kPanelColumns && kSide == kNormSide);

/// Squares of bfloat16 that a square of E is packed in.
template <class E>
inline constexpr int64_t kParts = std::is_same_v<E, float> ? 3 : 1;
/// And bfloat16 numbers.
template <class E>
inline constexpr int64_t kPackedSquare = kParts<E>* kSquare;

/// Squares that hold so many rows or columns.
constexpr int64_t squares(int64_t count) {
    return (count + kSide - 1) / kSide;
}

#if HEADROOM_AMX

/// The left factor of a product, to [panels, depth, kPackedSquare]; numbers beyond its edges are 0.
/// `alone`: by the calling thread.
template <class E>
void pack_left_factor(const GemmShape& s, const E* a, bool alone, bf16* to);

/// Columns [column, column + s.n) of its right factor, likewise.
template <class E>
void pack_right_factor(const GemmShape& s, const E* b, int64_t column, bool alone, bf16* to);

#endif

}  // namespace headroom
