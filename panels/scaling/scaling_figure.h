#pragma once

#include <string>

#include "core/bench/scaling.h"
#include "panels/figure/figure.h"

namespace headroom {

/// Seconds over size, both axes logarithmic: measured as a line with markers, and dashed what the
/// cost says, drawn through the largest size. Several lines share an axis of multiples of each
/// one's smallest size; `size_name` chooses those of one size ("" = all). UserError for a size that
/// was not measured.
Figure build_scaling_figure(const ScalingResult& result, const std::string& size_name);

}  // namespace headroom
