#pragma once

#include <cstdint>

#include "core/cpu/amx_tiles.h"
#include "core/cpu/gemm.h"
#include "core/cpu/weight_panels.h"

// The factors of AmxProduct as its tiles read them: squares of 32 x 32 numbers, two tiles one above
// the other for the left factor, one beside the other for the right. A panel is the squares of 32
// rows of the left factor, or of 32 columns of the right one, over the depth.

namespace headroom {

inline constexpr int64_t kSide = 2 * kAmxRows, kSquare = kSide * kSide;  ///< of a square
static_assert(kSide == kPanelColumns);

/// Squares that hold so many rows or columns.
constexpr int64_t squares(int64_t count) {
    return (count + kSide - 1) / kSide;
}

#if HEADROOM_AMX

/// The left factor of a product, to [panels, depth, square]; numbers beyond its edges are 0.
/// `alone`: by the calling thread.
void pack_left_factor(const GemmShape& s, const bf16* a, bool alone, bf16* to);

/// Columns [column, column + s.n) of its right factor, likewise.
void pack_right_factor(const GemmShape& s, const bf16* b, int64_t column, bool alone, bf16* to);

#endif

}  // namespace headroom
