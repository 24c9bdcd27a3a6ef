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

}  // namespace headroom
