#pragma once

#include <cstdint>

#include "core/account/parameter_count.h"
#include "core/config/job.h"

namespace headroom {

/// What training a job takes, as far as the job says it.
struct TrainingCost {
    ParameterCount parameters;
    double tokens = 0;       ///< that it is trained on; a whole number
    double flops = 0;        ///< of training, by the convention of FlopCount
    double eval_flops = 0;   ///< of its evaluations: forward passes
    int64_t disk_bytes = 0;  ///< of its checkpoints and its log at the end; probes come on top
};

/// model.vocab_size must be known.
TrainingCost training_cost(const Job& job);

/// Tokens that a job trains on: all sequences of all steps. A whole number, which may be larger
/// than one of 64 bits.
double training_tokens(const TrainConfig& train);

}  // namespace headroom
