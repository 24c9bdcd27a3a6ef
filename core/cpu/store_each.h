#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/base/dtype.h"
#include "core/cpu/vectors.h"

#if defined(__AVX512BF16__)
#include <immintrin.h>
#endif

namespace headroom {

/// kLanes numbers from `to` on.
[[gnu::always_inline]] inline void store_vector_rounded(float* to, Vector<float> v) {
    store_vector<float>(to, v);
}
[[gnu::always_inline]] inline void store_vector_rounded(double* to, Vector<double> v) {
    store_vector<double>(to, v);
}
[[gnu::always_inline]] inline void store_vector_rounded(bf16* to, Vector<float> v) {
#if defined(__AVX512BF16__)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        std::bit_cast<__m256i>(_mm512_cvtneps_pbh(std::bit_cast<__m512>(v))));
#else
    for (int64_t i = 0; i < kLanes<float>; ++i) to[i] = v[i];
#endif
}

/// y[i] = x[i] for count numbers.
template <class A, class T>
[[gnu::always_inline]] inline void store_rounded(const A* x, int64_t count, T* y) {
    int64_t i = 0;
#if defined(__AVX512BF16__)
    if constexpr (std::is_same_v<T, bf16> && std::is_same_v<A, float>) {
        const int64_t whole = count / kLanes<float> * kLanes<float>;
        for (; i < whole; i += kLanes<float>) store_vector_rounded(y + i, load_vector(x + i));
    }
#endif
    for (; i < count; ++i) y[i] = x[i];
}

/// y[i] = value(i) for i in [begin, end), in vectors if `value` is inlined (a functor or lambda
/// with the attribute always_inline). Processors that round vectors to bfloat16 by an instruction
/// do so, some numbers at a time: the compiler would spell out what `y[i] = ` means. It reads
/// numbers below 2^-126 as zero. y may lie where `value` reads element i.
template <class T, class F>
[[gnu::always_inline]] inline void store_each(T* y, int64_t begin, int64_t end, F&& value) {
#if defined(__AVX512BF16__)
    if constexpr (std::is_same_v<T, bf16>) {
        constexpr int64_t kBlock = 256;
        alignas(64) float values[kBlock];
        for (int64_t first = begin; first < end; first += kBlock) {
            const int64_t count = std::min(kBlock, end - first);
#pragma omp simd
            for (int64_t i = 0; i < count; ++i) values[i] = value(first + i);
            store_rounded(values, count, y + first);
        }
        return;
    }
#endif
#pragma omp simd
    for (int64_t i = begin; i < end; ++i) y[i] = value(i);
}

#if defined(__AVX512BF16__)
/// 64 bytes past the cache, which then need not be read first, if they are a whole line.
[[gnu::always_inline]] inline void store_past_cache(__m512i v, void* to) {
    if (reinterpret_cast<uintptr_t>(to) % sizeof(v) == 0)
        _mm512_stream_si512(static_cast<__m512i*>(to), v);
    else
        _mm512_storeu_si512(to, v);
}
#endif

/// After it other threads see what this one stored past the cache.
inline void finish_past_cache() {
#if defined(__AVX512BF16__)
    _mm_sfence();
#endif
}

/// count sums to y, or added to what is there.
template <class T>
void store_sums(const float* sums, int64_t count, bool add, T* y) {
    if (add)
        store_each(
            y, 0, count, [=](int64_t j) __attribute__((always_inline)) {
                return static_cast<float>(y[j]) + sums[j];
            });
    else
        store_rounded(sums, count, y);
}

}  // namespace headroom
