#pragma once

#include "core/cpu/store_each.h"
#include "core/cpu/weight_panels.h"

#if defined(__AVX512BF16__)
#include <immintrin.h>
#endif

namespace headroom {

#if defined(__AVX512BF16__)
/// The halves of a vector of 32 numbers of 16 bits, number by number beside each other.
[[gnu::always_inline]] inline __m512i halves_beside_each_other(__m512i v) {
    alignas(64) static constexpr uint16_t kPlaces[32] = {0,  16, 1,  17, 2,  18, 3,  19, 4,  20, 5,
                                                         21, 6,  22, 7,  23, 8,  24, 9,  25, 10, 26,
                                                         11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
    return _mm512_maskz_permutexvar_epi16(~0u, _mm512_load_si512(kPlaces), v);
}
#endif

/// Writes `columns` numbers, whole panels, of row `row` of a weight, an even one, and of the row
/// below it to its panels over `depth` rows, from column `column` on; or adds them. For kernel
/// sources only. What is overwritten goes past the cache where the processor allows it: the thread
/// calls finish_past_cache() in the end.
template <class From>
void store_pair_in_panels(const From* upper, const From* lower, int64_t columns, bool add,
                          bf16* panels, int64_t depth, int64_t row, int64_t column) {
    for (int64_t c = 0; c < columns; c += kPanelColumns) {
        bf16* const to = panels + place_in_panels(depth, row, column + c);
#if defined(__AVX512BF16__)
        if constexpr (std::is_same_v<From, float>) {
            if (!add) {
                for (int64_t half = 0; half < kPanelColumns; half += kLanes<float>)
                    store_past_cache(
                        halves_beside_each_other(std::bit_cast<__m512i>(_mm512_cvtne2ps_pbh(
                            std::bit_cast<__m512>(load_vector(lower + c + half)),
                            std::bit_cast<__m512>(load_vector(upper + c + half))))),
                        to + 2 * half);
                continue;
            }
        }
#endif
        float pair[2 * kPanelColumns];
        for (int64_t i = 0; i < kPanelColumns; ++i) {
            pair[2 * i] = static_cast<float>(upper[c + i]);
            pair[2 * i + 1] = static_cast<float>(lower[c + i]);
        }
        store_sums(pair, 2 * kPanelColumns, add, to);
    }
}

}  // namespace headroom
