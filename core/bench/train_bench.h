#pragma once

#include <functional>
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
    /// Operations that the device's fastest product would have done in the time of a step, by its
    /// rate just before and after, median over the timed steps; 0 where no rate was asked for.
    double product_flops_per_step = 0;
    double product_rate = 0;  ///< its operations per second beside the steps of `ops`, median
    std::vector<OpTime> ops;  ///< seconds and cost per step, by operator, longest first

    double bytes_per_step() const;  ///< that must move, of all operators
};

/// Seconds of an optimizer step of `job` on uniformly random tokens: the median of three after one
/// untimed. For a prediction, not for a comparison.
/// job.model.vocab_size must be known.
double time_training_step(const Job& job, Device& device);

/// Times `steps` optimizer steps (forward, backward, clipping, update) after a few untimed ones, on
/// uniformly random tokens; then half as many for the operators, since a device that is timed node
/// by node is slower. `product_rate` is asked before and after each step: operations per second of
/// the device's fastest product at this moment. job.model.vocab_size must be known.
TrainBench bench_training(
    const Job& job, Device& device, int steps,
    const std::function<double()>& product_rate = [] { return 0.0; });

}  // namespace headroom
