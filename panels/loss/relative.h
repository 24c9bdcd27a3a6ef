#pragma once

#include <vector>

#include "panels/loss/loss_rows.h"

namespace headroom {

/// A series minus its baseline at the steps that both have.
struct PairedLoss {
    std::vector<uint32_t> rows;      ///< of the series, at the common steps
    std::vector<double> difference;  ///< in nats, or in per cent of the baseline
    bool equal_batches = true;       ///< false: token counts or batch hashes differ
};

PairedLoss pair_with_baseline(const LossRows& series, const LossRows& baseline, RelativeUnit unit);

}  // namespace headroom
