#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "cuda/device/stream.h"

namespace headroom::cuda {

/// Times the nodes of a graph by the device's own clock: two events around each launch, read when
/// they have all been passed, so that the host does not wait for every node.
class NodeTimer {
  public:
    struct Total {
        double seconds = 0;
        int64_t launches = 0;
    };

    explicit NodeTimer(size_t nodes) : totals_(nodes) {}

    void start(size_t node, cudaStream_t stream);
    void stop(cudaStream_t stream);
    void reset();
    /// Of every node since the last reset. Waits for the device.
    const std::vector<Total>& totals();

  private:
    struct Span {
        Event start{Event::Kind::kTime}, stop{Event::Kind::kTime};
        size_t node = 0;
    };
    static constexpr size_t kMostSpans = 4096;

    void collect();

    std::vector<Total> totals_;
    std::deque<Span> spans_;  ///< made once, used again
    size_t used_ = 0;
};

}  // namespace headroom::cuda
