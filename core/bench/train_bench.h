#pragma once

#include <string>
#include <vector>

#include "core/config/job.h"
#include "core/device/device.h"

namespace headroom {

/// What a training benchmark measured on this machine.
struct TrainBench {
    int64_t tokens_per_step = 0;
    double step_seconds = 0;  ///< median over the timed steps
    double best_step_seconds = 0;
    double tokens_per_second = 0;  ///< from the median
    int64_t arena_bytes = 0;
    std::vector<OpTime> ops;  ///< seconds per step, by operator, longest first
};

/// Times `steps` optimizer steps (forward, backward, clipping, update) after two untimed ones, on
/// uniformly random tokens. job.model.vocab_size must be known.
TrainBench bench_training(const Job& job, Device& device, int steps);

}  // namespace headroom
