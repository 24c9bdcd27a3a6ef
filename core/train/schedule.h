#pragma once

#include <cstdint>

#include "core/config/job.h"

namespace headroom {

/// Learning rate of step `step` (1-based), nanoGPT's schedule: linear warm-up
/// lr * step / (warmup_steps + 1), then a cosine from lr to min_lr that ends at train.steps.
double learning_rate(const TrainConfig& train, int64_t step);

}  // namespace headroom
