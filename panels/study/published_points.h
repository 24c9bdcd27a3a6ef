#pragma once

#include <string>
#include <vector>

#include "panels/study/measured_runs.h"
#include "panels/study/run.h"

namespace headroom {

/// What a paper says that a variant came to.
struct PublishedPoint {
    std::string source;  ///< "004, table 7"
    double value = 0;
    RunPointer run;  ///< of ours, of the same variant
};

/// What the studies that the runs lie in say was published of their variants by that measure: one
/// point a source and variant, in the order of study.json. UserError for a study.json that cannot
/// be read.
std::vector<PublishedPoint> published_points(const std::vector<RunPointer>& runs,
                                             const Measure& measure);

}  // namespace headroom
