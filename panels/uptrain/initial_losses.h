#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "panels/figure/figure.h"
#include "panels/study/run.h"

namespace headroom {

/// What `headroom convert uptrain --compare DATA --json` measured: losses before any training, in
/// nats per token.
struct InitialLosses {
    struct Method {
        std::string name;
        double loss = 0;  ///< mean over `seeds`
        std::set<int64_t> seeds = {};
    };
    double source = 0;                    ///< of the checkpoint that was converted; NaN: of several
    std::set<int64_t> source_seeds = {};  ///< that its loss is the mean over; none: not of runs
    std::vector<Method> methods;
    std::set<int64_t> source_steps = {};  ///< where runs began, of `original`; none: not of runs
    int64_t tokens = 0;                   ///< that the losses are over; 0: not known
};

/// Reads it as a file of a stranger. UserError naming `source` and what is missing or no number.
InitialLosses read_initial_losses(const nlohmann::json& document, const std::string& source);

/// The same of runs that were trained on from `original`: their validation losses before the first
/// step, and its own at the checkpoint that they began with; of each variant, and of that of
/// `original`, the mean over the seeds. Runs that began at different steps have no one loss before.
/// UserError for a run that has none.
InitialLosses initial_losses_of_runs(const std::vector<RunPointer>& runs,
                                     const RunPointer& original);

/// A column for each method and a rule at the source's loss: Wu et al. (SkipV1Former), figure 10.
Figure build_initial_losses(const InitialLosses& losses);

}  // namespace headroom
