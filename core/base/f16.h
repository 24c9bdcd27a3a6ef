#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace headroom {

/// IEEE binary16. Storage only: checkpoints hold it, no kernel computes with it.
/// Rounds to nearest even; what is too large becomes infinite.
struct f16 {
    uint16_t bits = 0;

    f16() = default;
    explicit f16(float value) : bits(rounded(value)) {}
    operator float() const {  // NOLINT(google-explicit-constructor): exact
        const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
        const uint32_t exponent = (bits >> 10) & 0x1fu, mantissa = bits & 0x3ffu;
        if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
        if (exponent == 0) {
            const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
            return sign != 0 ? -magnitude : magnitude;
        }
        return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
    }

  private:
    static uint16_t rounded(float value) {
        const uint32_t u = std::bit_cast<uint32_t>(value);
        const uint32_t sign = (u >> 16) & 0x8000u, magnitude = u & 0x7fffffffu;
        uint32_t half = 0;
        if (magnitude > 0x7f800000u) {
            half = 0x7e00u | ((magnitude >> 13) & 0x1ffu);  // NaN stays NaN
        } else if (magnitude >= 0x477ff000u) {              // 65520 and more
            half = 0x7c00u;
        } else if (magnitude < 0x38800000u) {  // below 2^-14: a multiple of 2^-24
            half = static_cast<uint32_t>(std::nearbyint(std::bit_cast<float>(magnitude) * 0x1p24f));
        } else {
            half = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
        }
        return static_cast<uint16_t>(sign | half);
    }
};
static_assert(sizeof(f16) == 2);

}  // namespace headroom
