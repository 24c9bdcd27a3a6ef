#include "panels/loss/smoothing.h"

#include <algorithm>

#include "core/stats/moving_average.h"

namespace headroom {

std::vector<double> smooth(std::span<const double> values, double weight) {
    std::vector<double> out(values.begin(), values.end());
    const bool constant =
        std::all_of(values.begin(), values.end(), [&](double v) { return v == values.front(); });
    if (constant || !(weight > 0)) return out;

    MovingAverage average(weight);
    for (double& value : out) value = average.next(value);
    return out;
}

}  // namespace headroom
