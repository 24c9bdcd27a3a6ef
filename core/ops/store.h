#pragma once

#include "core/base/dtype.h"

namespace headroom {

/// Writes one result: overwrites y, or adds to it. Sums are formed in the type of `value`.
template <class T, class A>
inline void store(T& y, A value, bool accumulate) {
    y = accumulate ? static_cast<A>(y) + value : value;
}

}  // namespace headroom
