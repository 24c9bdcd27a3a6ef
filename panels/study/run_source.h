#pragma once

#include "panels/figure/figure.h"
#include "panels/study/run.h"

namespace headroom {

/// What a figure says of a run whose numbers it shows.
FigureSource figure_source(const Run& run);

}  // namespace headroom
