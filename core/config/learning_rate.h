#pragma once

#include <cstdint>

#include "core/config/job.h"

namespace headroom {

/// Learning rate of step `step` (1-based), by train.schedule. With W warm-up steps, i = step - 1,
/// and D = train.cosine_steps(), after which the rate is min_lr:
///     nanogpt        lr (i + 1) / (W + 1) for i < W, then a cosine from lr at W to min_lr at D
///     one_cycle      a cosine from lr / 100 to lr at W - 1, then one to min_lr at D - 1
///                    (PyTorch's OneCycleLR as Pagliardini et al. 2024, arXiv:2402.02622, use it)
///     linear_cosine  lr i / W for i < W, then the cosine of nanogpt
double learning_rate(const TrainConfig& train, int64_t step);

/// Whether every step has the same rate in both: a run of one of them may go on as the other.
bool same_rates(const TrainConfig& a, const TrainConfig& b);

}  // namespace headroom
