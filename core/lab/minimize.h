#pragma once

#include <functional>
#include <vector>

namespace headroom {

/// f and its gradient at x.
using DifferentiableFunction =
    std::function<double(const std::vector<double>& x, std::vector<double>& gradient)>;

struct Minimum {
    std::vector<double> x;
    double value = 0;
    int iterations = 0;
    double late_gain = 0;  ///< what the later half of the iterations gained
};

/// L-BFGS with ten pairs and a backtracking line search (Nocedal & Wright 2006, Numerical
/// Optimization, algorithms 7.5 and 3.1). Ends when an iteration gains less than `tolerance` of the
/// value twenty times in a row, after `most` iterations, or when go_on() says no.
Minimum minimize(const DifferentiableFunction& objective, std::vector<double> start, int most,
                 double tolerance, const std::function<bool()>& go_on);

}  // namespace headroom
