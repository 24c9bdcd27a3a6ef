#pragma once

#include <utility>
#include <vector>

#include "core/ops/attention.h"

namespace headroom {

/// Which gradients one task of the backward writes, and in which order: key/value heads that share
/// a column of any gradient are worked on by one task, so that no two tasks add into the same place
/// and the order of every sum is fixed.
struct AttentionSchedule {
    /// The gradient of one head, as part of an output of the operator.
    struct Target {
        int output = -1;  ///< -1: nobody wants it
        int head = 0;
        bool first = false;  ///< nothing was written there before
    };
    struct KvHead {
        int g = 0;
        Target key, value;
        std::vector<Target> queries;  ///< of the query heads that read g, in order
    };
    /// Each task: key/value heads in order. One task is run for every batch row.
    std::vector<std::vector<KvHead>> tasks;

    /// False for a head of an output that nobody reads: its gradient is zero.
    bool writes(int output, int head) const;

    AttentionSchedule(const AttentionOptions& options, const std::vector<size_t>& targets);

  private:
    std::vector<std::pair<int, int>> written_;  // output, head; sorted
};

}  // namespace headroom
