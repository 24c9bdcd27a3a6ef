#pragma once

#include <cmath>
#include <limits>

namespace headroom {

/// The greatest float that is not above `value`; NaN of NaN.
inline float float_not_above(double value) {
    const auto near = static_cast<float>(value);
    return near > value ? std::nextafter(near, -std::numeric_limits<float>::infinity()) : near;
}

/// The least float that is not below `value`; NaN of NaN.
inline float float_not_below(double value) {
    const auto near = static_cast<float>(value);
    return near < value ? std::nextafter(near, std::numeric_limits<float>::infinity()) : near;
}

}  // namespace headroom
