#pragma once

#include <cstdint>

namespace headroom {

/// McNemar's test of two answerers on the same items, exact: the two-sided p of Binomial(n, 1/2) on
/// the n = only_first + only_second items that one of them alone has right (as SciPy's binomtest).
/// 1 where there is none. REQUIRES: no negative count.
double mcnemar_p(int64_t only_first, int64_t only_second);

}  // namespace headroom
