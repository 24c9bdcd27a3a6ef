#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

// Elementary functions without branches, which the compiler turns into vector instructions inside
// `#pragma omp simd` loops (a call that is not inlined would keep the loop scalar, hence the
// attribute). The float versions are polynomials fitted for this program (weighted
// minimax of the relative error); the errors named are measured over all of the stated range by
// tests/core/cpu/vector_math_test.cpp. NaN in, NaN out. The double versions call libm.

namespace headroom::vmath {

/// e^x, at most 1.1 ulp; 0 below -87.33 (no denormal numbers), infinity above 88.37.
[[gnu::always_inline]] inline float exp(float x) {
    constexpr float kLog2E = 1.44269504f, kRound = 12582912.0f;  // 1.5 * 2^23
    constexpr float kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
    const float shifted = x * kLog2E + kRound;
    const float n = shifted - kRound;
    const float r = std::fma(-n, kLn2Low, std::fma(-n, kLn2High, x));
    float q = 0.00138144755195f;
    q = q * r + 0.00836875088853f;
    q = q * r + 0.04166839212f;
    q = q * r + 0.166665203368f;
    q = q * r + 0.499999934256f;
    const float p = std::fma(q * r, r, r) + 1.0f;
    const uint32_t power = std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(kRound);
    const float result = p * std::bit_cast<float>((power + 127u) << 23);
    const float above = x > 88.37f ? std::numeric_limits<float>::infinity() : result;
    return x < -87.33f ? 0.0f : above;
}
[[gnu::always_inline]] inline double exp(double x) {
    return std::exp(x);
}

/// 1 / (1 + e^-x), at most 2.5 ulp above -80.
[[gnu::always_inline]] inline float sigmoid(float x) {
    return 1.0f / (1.0f + exp(-x));
}
[[gnu::always_inline]] inline double sigmoid(double x) {
    return 1.0 / (1.0 + std::exp(-x));
}

/// Distribution and density of the standard normal at x.
template <class T>
struct Normal {
    T cdf, density;
};

/// 1 / x for x in [2^-120, 2^120], at most 1 ulp: for loops that a division of vectors would hold
/// up. A first guess from the bits, 12 % off, and two steps that cube what is missing.
[[gnu::always_inline]] inline float reciprocal(float x) {
    const float guess = std::bit_cast<float>(0x7ef311c7u - std::bit_cast<uint32_t>(x));
    const float e = std::fma(-x, guess, 1.0f);
    const float near = std::fma(guess, std::fma(e, e, e), guess);
    const float d = std::fma(-x, near, 1.0f);
    return std::fma(near, std::fma(d, d, d), near);
}

/// cdf = (1 + erf(x/√2)) / 2, at most 7 ulp above x = -12 (also in the lower tail, where 1 + erf
/// would cancel). With z = |x| and t = 1 / (1 + 0.27 z): cdf(-z) = e^(-z²/2) t P(t).
[[gnu::always_inline]] inline Normal<float> normal(float x) {
    constexpr float kInvSqrt2Pi = 0.39894228f;
    const float magnitude = std::fabs(x);
    const float z = magnitude > 16.0f ? 16.0f : magnitude;  // beyond, the tail is 0 in float
    const float square = z * z;
    const float error = std::fma(z, z, -square);  // z² = square + error, exactly
    const float bell = exp(-0.5f * square) * (1.0f - 0.5f * error);
    const float t = reciprocal(1.0f + 0.27f * z);
    float p = 0.0289167800327f;
    p = p * t - 0.12626257171f;
    p = p * t + 0.169306453726f;
    p = p * t - 0.0686381043231f;
    p = p * t + 0.107411176129f;
    p = p * t + 0.0722353367906f;
    p = p * t + 0.101760416305f;
    p = p * t + 0.107550333851f;
    p = p * t + 0.107720190959f;
    const float tail = bell * (t * p);
    return {x < 0.0f ? tail : 1.0f - tail, kInvSqrt2Pi * bell};
}
[[gnu::always_inline]] inline Normal<double> normal(double x) {
    constexpr double kInvSqrt2Pi = 0.39894228040143267794, kSqrtHalf = 0.70710678118654752440;
    return {0.5 * std::erfc(-x * kSqrtHalf), kInvSqrt2Pi * std::exp(-0.5 * x * x)};
}

}  // namespace headroom::vmath
