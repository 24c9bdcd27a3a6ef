#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "panels/loss/loss_settings.h"
#include "panels/study/run.h"

namespace headroom {

/// Which rows of a run's training or validation series count. A run that was killed and resumed
/// from a checkpoint repeats the steps since then: the rows written last count, the ones that they
/// repeat are kept apart to be drawn faintly.
struct LossRows {
    RunPointer run;
    LossKind kind = LossKind::kTrain;
    std::vector<uint32_t> kept;                     ///< steps strictly ascending
    std::vector<std::vector<uint32_t>> superseded;  ///< one stretch for each rewind, oldest first
    std::vector<uint32_t> resumed;                  ///< row at which each rewind begins

    int64_t step(uint32_t row) const;
    int64_t tokens(uint32_t row) const;
    double loss(uint32_t row) const;
};

LossRows loss_rows(const RunPointer& run, LossKind kind);

/// Seconds since the run's start at each of `rows`, never decreasing. Validation is not timed in
/// the log: it takes the time of the training step after which it ran.
std::vector<double> seconds_at(const LossRows& series, std::span<const uint32_t> rows);

/// Positions of `rows` on the x axis, never decreasing; tokens for kComputeShare.
std::vector<double> x_values(const LossRows& series, std::span<const uint32_t> rows, LossX x);

}  // namespace headroom
