#pragma once

#include <string>
#include <vector>

#include "panels/figure/figure.h"

namespace headroom {

/// Where an axis is marked: labelled ticks and small ones between them.
struct Ticks {
    std::vector<double> major;
    std::vector<std::string> labels;  ///< one for each major tick, UTF-8
    std::vector<double> minor;
};

/// Round ticks for `range`, about `target` of them and two at least, but of whole numbers: steps of
/// 1, 2 or 5 times a power of ten; of seconds, minutes and hours for times; whole decades, or
/// 1-2-5, on a log scale. All labels of one axis share their decimals and, for counts, their unit.
Ticks make_ticks(Range range, AxisScale scale, NumberFormat format, int target);

/// One value as the axis would write it, with `decimals` after the point: "2.50", "1.5M", "−0.1".
std::string tick_label(double value, NumberFormat format, int decimals);

}  // namespace headroom
