#include "core/probe/line_fit.h"

#include <cmath>
#include <cstddef>
#include <limits>

#include "core/base/error.h"

namespace headroom {

LineFit fit_line(std::span<const double> x, std::span<const double> y) {
    CHECK(x.size() == y.size(), "one y for each x");
    const auto n = static_cast<double>(x.size());
    double mean_x = 0, mean_y = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        mean_x += x[i] / n;
        mean_y += y[i] / n;
    }
    double xx = 0, xy = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    const double slope = xx > 0 ? xy / xx : std::numeric_limits<double>::quiet_NaN();
    return {slope, mean_y - slope * mean_x};
}

}  // namespace headroom
