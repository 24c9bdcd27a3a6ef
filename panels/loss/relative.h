#pragma once

#include <span>
#include <vector>

#include "panels/loss/loss_rows.h"

namespace headroom {

/// A series minus its baseline where that was at the same place of the x axis.
struct PairedLoss {
    std::vector<uint32_t> rows;      ///< of the series
    std::vector<double> difference;  ///< in nats, or in per cent of the baseline
    bool equal_batches = true;       ///< false: token counts or batch hashes differ, or steps do
    /// False: at equal x their steps differ, so that the baseline is read between its points.
    bool equal_steps = true;
};

/// Where the rows that count lie on the x axis, ascending; both empty: by their steps.
struct PairedPlaces {
    std::vector<double> series, baseline;
};

/// At the steps that both have, if these lie at the same places; else at the places of the series,
/// with the baseline linear between its points and no value outside of them.
PairedLoss pair_with_baseline(const LossRows& series, const LossRows& baseline,
                              const PairedPlaces& places, RelativeUnit unit);

}  // namespace headroom
