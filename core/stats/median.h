#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/base/error.h"

namespace headroom {

/// The upper one of the two in the middle of an even number. REQUIRES: a value at least, none NaN.
inline double median(std::vector<double> values) {
    CHECK(!values.empty(), "a median needs a value");
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace headroom
