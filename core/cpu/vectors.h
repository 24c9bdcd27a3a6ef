#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/base/bf16.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

// Registers full of numbers, for kernels whose sums must stay in registers over several loops,
// which `omp simd` cannot promise. For kernel sources only: the width is that of the processor that
// they are compiled for.

namespace headroom {

#if defined(__AVX512F__)
inline constexpr int64_t kVectorBytes = 64, kVectorRegisters = 32;
#elif defined(__AVX__)
inline constexpr int64_t kVectorBytes = 32, kVectorRegisters = 16;
#else
inline constexpr int64_t kVectorBytes = 16, kVectorRegisters = 16;
#endif

/// Numbers in a vector. A is float or double.
template <class A>
inline constexpr int64_t kLanes = kVectorBytes / static_cast<int64_t>(sizeof(A));

template <class A>
requires std::is_arithmetic_v<A>
struct VectorOf {
    using type [[gnu::vector_size(kVectorBytes)]] = A;
};
template <class A>
using Vector = typename VectorOf<A>::type;

/// A vector's numbers from `from`, which need not be aligned; bfloat16 becomes float.
template <class A>
[[gnu::always_inline]] inline Vector<A> load_vector(const A* from) {
    Vector<A> v;
    std::memcpy(&v, from, sizeof(v));
    return v;
}
[[gnu::always_inline]] inline Vector<float> load_vector(const bf16* from) {
    using Halves [[gnu::vector_size(kVectorBytes / 2)]] = uint16_t;
    Halves halves;
    std::memcpy(&halves, from, sizeof(halves));
#if defined(__AVX512F__)  // by name: the compiler widens two halves and puts them together
    const auto wide = std::bit_cast<Vector<uint32_t>>(
        _mm512_maskz_cvtepu16_epi32(0xffff, std::bit_cast<__m256i>(halves)));
#else
    const auto wide = __builtin_convertvector(halves, Vector<uint32_t>);
#endif
    return std::bit_cast<Vector<float>>(wide << 16);
}

/// The numbers of a table of 65,536 at the bits of a vector's numbers.
[[gnu::always_inline]] inline Vector<float> look_up(const float* table, const bf16* at) {
#if defined(__AVX512F__)
    const __m512i places = _mm512_maskz_cvtepu16_epi32(
        0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
    return std::bit_cast<Vector<float>>(
        _mm512_mask_i32gather_ps(_mm512_setzero_ps(), 0xffff, places, table, sizeof(float)));
#else
    Vector<float> v{};
    for (int64_t i = 0; i < kLanes<float>; ++i) v[i] = table[at[i].bits];
    return v;
#endif
}

template <class A>
[[gnu::always_inline]] inline void store_vector(A* to, Vector<A> v) {
    std::memcpy(to, &v, sizeof(v));
}

/// Loads v now and for good: the compiler may otherwise read a vector that several instructions
/// take from memory again for each of them.
template <class V>
[[gnu::always_inline]] inline void keep_in_register([[maybe_unused]] V& v) {
#if defined(__x86_64__)
    asm("" : "+v"(v));
#endif
}

/// Lane i of the result is lane i ^ kApart of v.
template <class A, int64_t kApart, int... kLane>
[[gnu::always_inline]] inline Vector<A> swapped_lanes(Vector<A> v,
                                                      std::integer_sequence<int, kLane...>) {
    return __builtin_shufflevector(v, v, (kLane ^ kApart)...);
}

/// The sum of all lanes, by halves.
template <class A, int64_t kApart = kLanes<A> / 2>
[[gnu::always_inline]] inline A sum_of_lanes(Vector<A> v) {
    if constexpr (kApart == 0)
        return v[0];
    else
        return sum_of_lanes<A, kApart / 2>(
            v + swapped_lanes<A, kApart>(v, std::make_integer_sequence<int, kLanes<A>>{}));
}

/// The greatest of all lanes, by halves. REQUIRES no NaN.
template <class A, int64_t kApart = kLanes<A> / 2>
[[gnu::always_inline]] inline A greatest_of_lanes(Vector<A> v) {
    if constexpr (kApart == 0) {
        return v[0];
    } else {
        const Vector<A> other =
            swapped_lanes<A, kApart>(v, std::make_integer_sequence<int, kLanes<A>>{});
        return greatest_of_lanes<A, kApart / 2>(other > v ? other : v);
    }
}

/// Of two rows a and b, cut into squares of 2 kApart lanes: the lower halves of a's and b's lanes
/// beside each other in each square, or the upper ones (kHigh).
template <class U, int kApart, bool kHigh, int... kLane>
[[gnu::always_inline]] inline Vector<U> half_of_squares(Vector<U> a, Vector<U> b,
                                                        std::integer_sequence<int, kLane...>) {
    constexpr int n = kLanes<U>;
    constexpr auto lane = [](int l) {
        if (kHigh) return (l & kApart) != 0 ? n + l : l + kApart;
        return (l & kApart) != 0 ? n + l - kApart : l;
    };
    return __builtin_shufflevector(a, b, lane(kLane)...);
}

/// The vector whose lane `lane_of_sum(i)` is sum_of_lanes(v[i]): two vectors are added into one,
/// each into its half of the lanes, until one is left. The order of every sum stays the same.
template <class A, int64_t kCount, int64_t kApart = kLanes<A> / 2>
[[gnu::always_inline]] inline Vector<A> gathered_sums(const Vector<A> (&v)[kCount]) {
    constexpr auto lanes = std::make_integer_sequence<int, kLanes<A>>{};
    if constexpr (kApart == 0) {
        return v[0];
    } else if constexpr (kCount == 1) {
        const Vector<A> half[1] = {v[0] + swapped_lanes<A, kApart>(v[0], lanes)};
        return gathered_sums<A, 1, kApart / 2>(half);
    } else {
        constexpr int64_t kPairs = (kCount + 1) / 2;
        constexpr int kFar = static_cast<int>(kApart);
        Vector<A> pairs[kPairs];
        for (int64_t i = 0; i < kPairs; ++i) {
            const Vector<A>&a = v[i], &b = v[i + kPairs < kCount ? i + kPairs : i];
            pairs[i] = half_of_squares<A, kFar, false>(a, b, lanes) +
                       half_of_squares<A, kFar, true>(a, b, lanes);
        }
        return gathered_sums<A, kPairs, kApart / 2>(pairs);
    }
}
/// Where gathered_sums of `count` vectors leaves sum i, if it starts with halves of `apart` lanes.
constexpr int64_t lane_of_sum(int64_t i, int64_t count, int64_t apart) {
    if (count == 1) return 0;
    const int64_t pairs = (count + 1) / 2;
    return i < pairs ? lane_of_sum(i, pairs, apart / 2)
                     : apart + lane_of_sum(i - pairs, pairs, apart / 2);
}

/// sums[i] = sum_of_lanes(v[i]), for about as many additions as vectors.
template <class A, int64_t kCount>
[[gnu::always_inline]] inline void sums_of_lanes(const Vector<A> (&v)[kCount], A (&sums)[kCount]) {
    if constexpr (kCount > kLanes<A>) {
        for (int64_t i = 0; i < kCount; ++i) sums[i] = sum_of_lanes<A>(v[i]);
    } else {
        const Vector<A> gathered = gathered_sums<A, kCount>(v);
        for (int64_t i = 0; i < kCount; ++i)
            sums[i] = gathered[lane_of_sum(i, kCount, kLanes<A> / 2)];
    }
}

}  // namespace headroom
