#pragma once

#include <string>

#include "panels/figure/figure.h"

namespace headroom {

/// The x axis of a key or column whose numbers lie from `least` to `most`, with `room` of their
/// length at either end. UserError where `log` is asked of numbers that have no logarithm.
FigureAxis key_axis(const std::string& key, double least, double most, bool log, double room);

}  // namespace headroom
