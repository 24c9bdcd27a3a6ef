#pragma once

#include <span>

namespace headroom {

/// A straight line y = intercept + slope x.
struct LineFit {
    double slope = 0, intercept = 0;

    double at(double x) const { return intercept + slope * x; }
};

/// Least squares through the points (x_i, y_i); NaN with fewer than two different x, or where a
/// number is not finite.
LineFit fit_line(std::span<const double> x, std::span<const double> y);

}  // namespace headroom
