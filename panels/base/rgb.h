#pragma once

#include <cmath>
#include <cstdint>

namespace headroom {

/// An sRGB colour, free of any toolkit, so that view-models can speak about colour.
struct Rgb {
    uint8_t r = 0;
    uint8_t g = 0;
    uint8_t b = 0;
    uint8_t a = 255;

    bool operator==(const Rgb&) const = default;
};

constexpr Rgb rgb(uint32_t hex) {
    return {static_cast<uint8_t>(hex >> 16), static_cast<uint8_t>(hex >> 8),
            static_cast<uint8_t>(hex), 255};
}

inline Rgb with_alpha(Rgb colour, double alpha) {
    colour.a = static_cast<uint8_t>(std::lround(alpha * 255));
    return colour;
}

/// The colour `share` of the way from `a` to `b`.
inline Rgb blend(Rgb a, Rgb b, double share) {
    const auto mix = [share](uint8_t x, uint8_t y) {
        return static_cast<uint8_t>(std::lround(x + (y - x) * share));
    };
    return {mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b), mix(a.a, b.a)};
}

}  // namespace headroom
