#include "core/config/learning_rate.h"

#include <cmath>
#include <numbers>

#include "core/base/error.h"

namespace headroom {
namespace {

/// From `from` to `to` along half a cosine; progress 0 to 1.
double along_cosine(double from, double to, double progress) {
    return to + 0.5 * (1.0 + std::cos(std::numbers::pi * progress)) * (from - to);
}

/// The cosine that all schedules end with: from the peak after the warm-up to the least rate.
double decay(const TrainConfig& train, double iteration) {
    const auto warmup = static_cast<double>(train.warmup_steps);
    const auto end = static_cast<double>(train.cosine_steps());
    if (iteration >= end) return train.min_lr;
    return along_cosine(train.lr, train.min_lr, (iteration - warmup) / (end - warmup));
}

/// The peak is the last update of the warm-up, the least rate the last of the cosine.
double one_cycle(const TrainConfig& train, double iteration) {
    constexpr double kStartShare = 0.01;
    const double peak_at = static_cast<double>(train.warmup_steps) - 1.0;
    const double end_at = static_cast<double>(train.cosine_steps()) - 1.0;
    if (iteration < peak_at)
        return along_cosine(kStartShare * train.lr, train.lr, iteration / peak_at);
    if (iteration == peak_at) return train.lr;
    if (iteration >= end_at) return train.min_lr;
    return along_cosine(train.lr, train.min_lr, (iteration - peak_at) / (end_at - peak_at));
}

}  // namespace

double learning_rate(const TrainConfig& train, int64_t step) {
    const auto iteration = static_cast<double>(step - 1);
    const auto warmup = static_cast<double>(train.warmup_steps);
    switch (train.schedule) {
        case Schedule::kNanogpt:
            if (iteration < warmup) return train.lr * (iteration + 1.0) / (warmup + 1.0);
            return decay(train, iteration);
        case Schedule::kOneCycle:
            return one_cycle(train, iteration);
        case Schedule::kLinearCosine:
            if (iteration < warmup) return train.lr * iteration / warmup;
            return decay(train, iteration);
    }
    CHECK(false, "unknown schedule");
}

bool same_rates(const TrainConfig& a, const TrainConfig& b) {
    if (a.schedule != b.schedule || a.lr != b.lr || a.min_lr != b.min_lr ||
        a.warmup_steps != b.warmup_steps)
        return false;
    return a.lr == a.min_lr || a.cosine_steps() == b.cosine_steps();
}

}  // namespace headroom
