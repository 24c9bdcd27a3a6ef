#pragma once

#include <cmath>
#include <cstdint>

namespace headroom {

/// TensorBoard's smoothing, value for value (line-chart, `smoothing.ts`): an exponential moving
/// average in which each finite value counts 1 - weight, divided by 1 - weight^n after n finite
/// values so that the start is not drawn towards zero. A value that is not finite passes through
/// and changes nothing after it. A copy goes on from where the original was. (TensorBoard leaves a
/// series alone whose values are all equal, which only who knows them all can do.)
class MovingAverage {
  public:
    /// weight in (0, 1).
    explicit MovingAverage(double weight) : weight_(weight) {}
    /// As it was after `count` finite values, where last() was `last`.
    MovingAverage(double weight, double last, int64_t count)
        : weight_(weight), last_(last), count_(count), debias_(debias_after(count)) {}

    double next(double value) {
        if (!std::isfinite(value)) return value;
        last_ = last_ * weight_ + (1 - weight_) * value;
        ++count_;
        if (debias_ < 1) debias_ = debias_after(count_);
        return last_ / debias_;
    }
    double last() const { return last_; }
    int64_t count() const { return count_; }

  private:
    /// 1 - weight^n; stays at 1 once the power is below half an ulp.
    double debias_after(int64_t count) const {
        return 1 - std::pow(weight_, static_cast<double>(count));
    }

    double weight_, last_ = 0;
    int64_t count_ = 0;
    double debias_ = 0;
};

}  // namespace headroom
