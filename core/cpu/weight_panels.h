#pragma once

#include "core/base/tensor.h"

// MemoryLayout::kPanels: a weight [in, out], both multiples of 32, in panels of 32 columns one
// after the other. A panel is squares of 32 rows from the first to the last, a square 16 pairs of
// rows, and a pair its 32 columns, of each the upper number and the lower one: what AmxProduct
// packs a right factor into, made once, so that decoding reads its weights from end to end and
// packs nothing.

namespace headroom {

inline constexpr int64_t kPanelColumns = 32;  ///< and rows of a square

/// True for a matrix that can lie in panels.
inline bool fits_panels(const Shape& shape) {
    return shape.size() == 2 && shape[0] > 0 && shape[1] > 0 && shape[0] % kPanelColumns == 0 &&
           shape[1] % kPanelColumns == 0;
}

/// Numbers of a panel over `depth` rows; a square deeper in it lies kPanelColumns per row further.
constexpr int64_t panel_numbers(int64_t depth) {
    return depth * kPanelColumns;
}

/// Where the number of `row` and `column` lies in panels over `depth` rows.
constexpr int64_t place_in_panels(int64_t depth, int64_t row, int64_t column) {
    return column / kPanelColumns * panel_numbers(depth) + row / 2 * 2 * kPanelColumns +
           column % kPanelColumns * 2 + row % 2;
}

}  // namespace headroom
