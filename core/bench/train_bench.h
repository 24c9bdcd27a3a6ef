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
    std::vector<OpTime> ops;  ///< seconds and cost per step, by operator, longest first

    double bytes_per_step() const;  ///< that must move, of all operators
};

/// Seconds of an optimizer step of `job` on uniformly random tokens: the median of three after one
/// untimed. For a prediction, not for a comparison.
/// job.model.vocab_size must be known.
double time_training_step(const Job& job, Device& device);

/// Times `steps` optimizer steps (forward, backward, clipping, update) after a few untimed ones, on
/// uniformly random tokens; then half as many for the operators, since a device that is timed node
/// by node is slower. job.model.vocab_size must be known.
TrainBench bench_training(const Job& job, Device& device, int steps);

}  // namespace headroom
