#pragma once

#include <optional>
#include <string>
#include <vector>

#include "panels/loss/loss_rows.h"
#include "panels/study/run.h"

namespace headroom {

/// The run that others are trained on from: what its training took, and where it ended.
struct LossReference {
    RunPointer run;
    double flops = 0;                  ///< of all its training; 0 if its log does not tell
    std::optional<double> final_loss;  ///< the last validation loss that is finite, if there is one
};

LossReference loss_reference(const RunPointer& run);

/// Per cent of the reference's training that one token of `run` takes; nothing if a log does not
/// tell what was trained. FLOPs as core/account/flops.h counts them, of training.
std::optional<double> percent_per_token(const Run& run, const LossReference& reference);

}  // namespace headroom
