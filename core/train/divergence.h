#pragma once

#include <cstdint>
#include <deque>
#include <string>

namespace headroom {

/// Notices that a run has diverged: its loss is not finite, or its mean over the last 50 steps is
/// more than 1 nat above ln V (a model that knows nothing), or, after a tenth of the run, more than
/// 1 nat above the best such mean.
class DivergenceWatch {
  public:
    DivergenceWatch(int64_t vocab_size, int64_t steps);

    /// The loss of the next step, in nats per token. Returns why the run has diverged with it, or
    /// "".
    std::string add(double loss);

  private:
    double ceiling_;
    int64_t steps_, seen_ = 0;
    std::deque<double> last_;  ///< losses of the last 50 steps
    double best_;              ///< least mean so far
};

}  // namespace headroom
