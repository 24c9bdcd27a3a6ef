#include "core/bench/timings.h"

#include <algorithm>

#include "core/base/error.h"

namespace headroom {

double median(std::vector<double> values) {
    CHECK(!values.empty(), "something that was measured");
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

}  // namespace headroom
