#pragma once

#include <cstdint>

namespace headroom {

/// Asks for `rows` rows of `width` numbers, `stride` apart, that are wanted soon: what is read in
/// short pieces far from each other the processor does not foresee.
template <class T>
void fetch_rows(const T* from, int64_t stride, int64_t rows, int64_t width) {
    constexpr auto kLine = static_cast<int64_t>(64 / sizeof(T));
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < width; c += kLine) __builtin_prefetch(from + r * stride + c);
}

/// Asks for the line `ahead` numbers further on in each: streams that are read together, of which
/// the processor foresees no page but the one that is read.
template <class... T>
[[gnu::always_inline]] inline void fetch_ahead(int64_t ahead, const T*... from) {
    (__builtin_prefetch(from + ahead), ...);
}

}  // namespace headroom
