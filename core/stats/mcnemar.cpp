#include "core/stats/mcnemar.h"

#include <algorithm>

#include "core/stats/distributions.h"

namespace headroom {

double mcnemar_p(int64_t only_first, int64_t only_second) {
    const int64_t fewer = std::min(only_first, only_second);
    const int64_t more = std::max(only_first, only_second);
    if (fewer == more) return 1;
    // P(X <= k) of Binomial(n, 1/2) is I_(1/2)(n - k, k + 1).
    const auto tail =
        incomplete_beta(static_cast<double>(more), static_cast<double>(fewer + 1), 0.5);
    return std::min(1.0, 2 * tail);
}

}  // namespace headroom
