#pragma once

#include "panels/figure/figure.h"
#include "panels/run/run_snapshot.h"

namespace headroom {

/// What a figure says of a run whose numbers it shows.
FigureSource figure_source(const RunSnapshot& run);

}  // namespace headroom
