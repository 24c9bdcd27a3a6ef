#pragma once

#include <bit>
#include <cstdint>

namespace headroom {

/// bfloat16: the upper half of a float. Storage only; arithmetic is done in float.
/// Always inlined, since a call would keep the loops of the kernels scalar.
struct bf16 {
    uint16_t bits = 0;

    bf16() = default;
    [[gnu::always_inline]] constexpr explicit bf16(float value)
        : bits(round_to_nearest_even(value)) {}
    /// For kernels: GCC vectorises this store, but not the copy of a temporary bf16.
    [[gnu::always_inline]] constexpr bf16& operator=(float value) {
        bits = round_to_nearest_even(value);
        return *this;
    }
    // NOLINTNEXTLINE(google-explicit-constructor): it widens without loss, as float to double does.
    [[gnu::always_inline]] constexpr operator float() const {
        return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
    }

  private:
    [[gnu::always_inline]] static constexpr uint16_t round_to_nearest_even(float value) {
        const uint32_t u = std::bit_cast<uint32_t>(value);
        const bool is_nan = (u & 0x7fffffffu) > 0x7f800000u;
        const uint32_t rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
        return static_cast<uint16_t>(is_nan ? ((u >> 16) | 0x40u) : rounded);
    }
};
static_assert(sizeof(bf16) == 2);

}  // namespace headroom
