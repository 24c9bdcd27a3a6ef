#include "core/train/divergence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

namespace headroom {
namespace {

constexpr size_t kWindow = 50;
constexpr double kMargin = 1;  // nats

}  // namespace

DivergenceWatch::DivergenceWatch(int64_t vocab_size, int64_t steps)
    : ceiling_(std::log(static_cast<double>(vocab_size)) + kMargin),
      steps_(steps),
      best_(std::numeric_limits<double>::infinity()) {}

std::string DivergenceWatch::add(double loss) {
    ++seen_;
    if (!std::isfinite(loss)) return fmt::format("the loss is {} at step {}", loss, seen_);
    last_.push_back(loss);
    if (last_.size() > kWindow) last_.pop_front();
    if (last_.size() < kWindow) return "";
    const double mean =
        std::accumulate(last_.begin(), last_.end(), 0.0) / static_cast<double>(kWindow);
    best_ = std::min(best_, mean);
    const bool begun = 10 * seen_ > steps_;
    if (mean > ceiling_)
        return fmt::format(
            "at step {} the mean loss of {} steps is {:.3f}, that of chance and 1 "
            "nat more is {:.3f}",
            seen_, kWindow, mean, ceiling_);
    if (begun && mean > best_ + kMargin)
        return fmt::format("at step {} the mean loss of {} steps is {:.3f}, once it was {:.3f}",
                           seen_, kWindow, mean, best_);
    return "";
}

}  // namespace headroom
