#pragma once

#include "panels/launch/launch_form.h"

namespace headroom {

/// An architecture with the job that the reader made of the form.
struct LaunchVariant {
    std::string arch;
    Job job;
    std::vector<std::string> listed = {};  ///< the values of lists that it has: "lr=0.002"
};

/// What all runs will take: time, one after the other, disk, and training FLOPs; "" while that is
/// not known.
std::string cost_text(const std::vector<LaunchRun>& runs);

/// One run for each variant and seed, variants outermost, with ids that the study does not have.
std::vector<LaunchRun> plan_runs(const std::vector<LaunchVariant>& variants,
                                 const std::vector<int64_t>& seeds, const std::string& name,
                                 const LaunchPlace& place);

}  // namespace headroom
