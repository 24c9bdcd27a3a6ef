#pragma once

#include <vector>

#include "core/ops/attention.h"

namespace headroom::cuda {

/// How the gradients of attention are computed without two blocks that add into one place. A work
/// item is a key head with a value head and all query heads that read the two: it gives both
/// gradients. Items that write the same head follow one another in rounds, of which the first
/// overwrites and the others add; then come the gradients of the queries, a block each.
struct BackwardPlan {
    /// The gradient of a head, as part of an output of the operator.
    struct Target {
        int output = -1;  ///< -1: nobody wants it
        int head = 0;
        bool add = false;  ///< something was written there before

        bool operator==(const Target&) const = default;
    };
    struct Item {
        HeadRef key, value;
        std::vector<int> readers;  ///< query heads, in the order of the sums
        Target dkey, dvalue;
        /// Key and value are one head: their gradients are added before they are written.
        bool one_target = false;
    };
    std::vector<std::vector<Item>> rounds;
    std::vector<Target> queries;  ///< of every query head; empty: nobody wants them
    std::vector<Target> zeros;    ///< heads that nobody reads

    /// `head_counts`: how many heads the input of each target has.
    BackwardPlan(const AttentionOptions& o, const std::vector<size_t>& targets,
                 const std::vector<int>& head_counts);
};

}  // namespace headroom::cuda
