#include "panels/loss/smoothing.h"

#include <algorithm>
#include <cmath>

namespace headroom {

std::vector<double> smooth(std::span<const double> values, double weight) {
    std::vector<double> out(values.begin(), values.end());
    const bool constant =
        std::all_of(values.begin(), values.end(), [&](double v) { return v == values.front(); });
    if (constant || !(weight > 0)) return out;

    double last = 0;
    double debias = 0;  // 1 - weight^n; stays at 1 once the power is below half an ulp
    double finite_values = 0;
    for (double& value : out) {
        if (!std::isfinite(value)) continue;
        last = last * weight + (1 - weight) * value;
        finite_values += 1;
        if (debias < 1) debias = 1 - std::pow(weight, finite_values);
        value = last / debias;
    }
    return out;
}

}  // namespace headroom
