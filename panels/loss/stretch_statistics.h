#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "panels/loss/loss_view.h"

namespace headroom {

/// One curve on a stretch of the x axis, of its values as logged (or as differences, where the plot
/// shows those), not smoothed. NaN where there are no finite values.
struct StretchRow {
    std::string name;
    int color = 0, shade = 0;
    int64_t points = 0;  ///< finite values
    double mean = 0;
    double least = 0, least_x = 0;
    double greatest = 0, greatest_x = 0;
    /// Of the least-squares line through all points, per unit of x; NaN with fewer than two.
    double slope = 0;
};

/// What stands on the y axis of a plot from `x.lower` to `x.upper`, curve by curve.
struct StretchStatistics {
    Range x;
    FigureAxis x_axis, y_axis;
    std::vector<StretchRow> rows;  ///< of the visible curves, in their order
};

/// Of the view's points. Where `is_whole` is false for it, a long curve has only a sample of them
/// there: build_loss() with all_points has all.
StretchStatistics stretch_statistics(const LossView& view, Range x);
bool is_whole(const LossView& view, Range x);

/// Builds the view anew with all its points if it lacks some, which may take long: off the UI
/// thread. REQUIRES: `view` is of these runs and settings.
StretchStatistics stretch_statistics(const LossView& view, std::span<const RunPointer> runs,
                                     const LossSettings& settings, Range x);

/// RFC 4180, numbers in full; the stretch in comment lines.
std::string stretch_csv(const StretchStatistics& statistics);

}  // namespace headroom
