#pragma once

#include <string>

#include "core/account/compare_models.h"

namespace headroom {

/// Prints two models side by side: changed keys, counts, and where parameters moved. Neighbouring
/// layers that differ alike share a line.
void print_difference(const std::string& model, const std::string& baseline,
                      const ModelDifference& difference);

}  // namespace headroom
