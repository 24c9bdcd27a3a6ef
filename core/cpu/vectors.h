#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "core/base/bf16.h"

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
struct VectorOf {
    using type [[gnu::vector_size(kVectorBytes)]] = A;
};
template <class A>
using Vector = typename VectorOf<A>::type;

/// A vector's numbers from `from`, which need not be aligned; bfloat16 becomes float.
[[gnu::always_inline]] inline Vector<float> load_vector(const float* from) {
    Vector<float> v;
    std::memcpy(&v, from, sizeof(v));
    return v;
}
[[gnu::always_inline]] inline Vector<double> load_vector(const double* from) {
    Vector<double> v;
    std::memcpy(&v, from, sizeof(v));
    return v;
}
[[gnu::always_inline]] inline Vector<float> load_vector(const bf16* from) {
    using Halves [[gnu::vector_size(kVectorBytes / 2)]] = uint16_t;
    Halves halves;
    std::memcpy(&halves, from, sizeof(halves));
    return std::bit_cast<Vector<float>>(__builtin_convertvector(halves, Vector<uint32_t>) << 16);
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

}  // namespace headroom
