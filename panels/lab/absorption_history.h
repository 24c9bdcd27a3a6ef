#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "panels/figure/figure.h"

namespace headroom {

/// One layer's MLP over the checkpoints of a run, from `headroom absorb history`.
struct LayerHistory {
    int layer = 0;
    std::vector<double> steps;
    std::vector<double> residual;  ///< what is left of the skip, of its norm; NaN: no such number
    std::vector<double> distance;  ///< of the coefficients from 0 and 1, root mean square
};

/// How far the MLPs of a run were from taking in their skips, while it trained.
struct AbsorptionHistory {
    std::string run;
    std::vector<LayerHistory> layers;
};

enum class AbsorptionMeasure { kResidual, kDistance };

/// Reads the document as one of a stranger. UserError saying what is missing.
AbsorptionHistory read_absorption_history(std::string_view json);

/// A line for every layer against the step; at 0 the layer's MLP could do without its skip
/// (Mijoski & Karbevski 2026, Theorems 8 and 10).
Figure build_history_figure(const AbsorptionHistory& history, AbsorptionMeasure measure);

}  // namespace headroom
