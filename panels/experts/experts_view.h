#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "panels/figure/heatmap.h"
#include "panels/study/run.h"

namespace headroom {

/// What the maps of experts are of.
enum class ExpertMap {
    kSteps,   ///< a map for each layer: experts over the evaluations of a run
    kLayers,  ///< a map for each run: experts of every layer at the last evaluation
};

/// "steps", "layers": the spelling of the command line.
std::string_view name_of(ExpertMap map);

/// The most evaluations side by side; of more some are left out, the last never.
inline constexpr size_t kMostEvaluationColumns = 24;

/// Shares of the assignments that the routers of runs gave their experts, as their logs say
/// (core/model/router_numbers.h), on one scale from 0. The small print says what was dropped, the
/// balance loss and the entropy at the last evaluation. Without such rows the figure says why.
HeatmapFigure build_experts(std::span<const RunPointer> runs, ExpertMap map);

}  // namespace headroom
