#include "core/train/schedule.h"

#include <cmath>
#include <numbers>

namespace headroom {

double learning_rate(const TrainConfig& train, int64_t step) {
    const auto iteration = static_cast<double>(step - 1);
    const auto warmup = static_cast<double>(train.warmup_steps);
    if (iteration < warmup) return train.lr * (iteration + 1.0) / (warmup + 1.0);
    const auto steps = static_cast<double>(train.steps);
    if (iteration >= steps) return train.min_lr;
    const double progress = (iteration - warmup) / (steps - warmup);
    return train.min_lr +
           0.5 * (1.0 + std::cos(std::numbers::pi * progress)) * (train.lr - train.min_lr);
}

}  // namespace headroom
