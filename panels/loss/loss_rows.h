#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/log/named_series.h"
#include "panels/loss/loss_settings.h"
#include "panels/study/run.h"

namespace headroom {

/// Which rows of a run's training or validation loss, or of another series, count. A run that was
/// killed and resumed from a checkpoint repeats the steps since then: the rows written last count,
/// the ones that they repeat are kept apart to be drawn faintly.
struct LossRows {
    RunPointer run;
    /// In place of the loss; then `kind` is kTrain. Null for losses.
    std::shared_ptr<const NamedSeries> other = nullptr;
    LossKind kind = LossKind::kTrain;
    std::vector<uint32_t> kept;                     ///< steps strictly ascending
    std::vector<std::vector<uint32_t>> superseded;  ///< one stretch for each rewind, oldest first
    std::vector<uint32_t> resumed;                  ///< row at which each rewind begins

    int64_t step(uint32_t row) const;
    int64_t tokens(uint32_t row) const;
    double loss(uint32_t row) const;
};

LossRows loss_rows(const RunPointer& run, LossKind kind);
/// The same of any series of the log; without rows where the log has none of that name.
LossRows metric_rows(const RunPointer& run, const std::string& name);
/// Of what the settings show: LossSettings::metric, or the loss of that kind.
LossRows shown_rows(const RunPointer& run, LossKind kind, const LossSettings& settings);

/// The same without looking which rows count: for a curve that is made in another way.
LossRows unread_rows(const RunPointer& run, LossKind kind, const LossSettings& settings);

/// Whether the log says when things were: one of another tool may not. kWall asks for the day, too.
bool has_times(const Run& run, LossX x = LossX::kSeconds);

/// Seconds since the run's start at each of `rows`, never decreasing. Validation is not timed in
/// the log: it takes the time of the training step after which it ran, and so do other series.
std::vector<double> seconds_at(const LossRows& series, std::span<const uint32_t> rows);

/// Of one row, for a log of which not all rows are worth looking at. 0 before the first step.
double seconds_at(const LossRows& series, uint32_t row);

/// Positions of `rows` on the x axis, never decreasing; tokens for kComputeShare.
std::vector<double> x_values(const LossRows& series, std::span<const uint32_t> rows, LossX x);

}  // namespace headroom
