#pragma once

#include <string>

#include "core/lab/lab_result.h"
#include "panels/figure/figure.h"

namespace headroom {

/// The chart of that name, or the first one for "". UserError with the names that there are.
const LabChart& find_chart(const LabResult& result, const std::string& name);

/// A chart of the laboratory as every figure is drawn and exported: histograms as columns, curves
/// as lines, measured points as markers. On a logarithmic axis what is not above 0 is left out.
Figure build_lab_figure(const LabChart& chart);

}  // namespace headroom
