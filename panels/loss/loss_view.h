#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "panels/figure/figure.h"
#include "panels/loss/loss_rows.h"
#include "panels/loss/loss_settings.h"
#include "panels/study/run.h"

namespace headroom {

/// One line of the loss panel: training or validation of one run, or the mean over the seeds of one
/// variant. All columns are equally long; with a group, `rows` are those of its first seed.
struct LossCurve {
    std::string id;    ///< the run's id, or the variant when grouped; what hiding goes by
    std::string name;  ///< "baseline", "baseline (3 seeds)"
    LossKind kind = LossKind::kTrain;
    int color = 0;
    int shade = 0;  ///< of the run in its group
    int seeds = 1;
    bool visible = true;
    LossRows series;
    std::vector<uint32_t> rows;
    Column x;
    double x_scale = 1;   ///< what x was multiplied by: kComputeShare counts tokens
    Column seconds;       ///< since the start of the run
    Column raw;           ///< as logged, or the difference from the baseline
    Column value;         ///< smoothed
    Column lower, upper;  ///< of the band; null without one

    bool has_band() const { return lower != nullptr; }
};

/// The loss panel, ready to be drawn: the figure, and what a tooltip needs beside it.
struct LossView {
    Figure figure;
    std::vector<LossCurve> curves;
    std::vector<std::string> notes;  ///< what the figure's footnote says, one point each
    Range x_all, y_all;              ///< where "fit" goes
};

/// Pure: the same snapshots and settings give the same view. The order of `runs` is the order of
/// the legend. May take long for millions of points: call it off the UI thread.
LossView build_loss(std::span<const RunPointer> runs, const LossSettings& settings);

/// One line of the tooltip: the point of a curve that is nearest to the cursor in x.
struct LossTip {
    std::string name;  ///< with "train" or "val" where both are shown
    int color = 0, shade = 0;
    double x = 0;
    double value = 0;  ///< smoothed, as drawn
    double raw = 0;
    double lower = 0, upper = 0;  ///< NaN without a band
    int seeds = 1;
    int64_t step = 0;
    int64_t tokens = 0;
    double seconds = 0;
};

/// The highest first, NaN last.
void sort_from_the_top(std::vector<LossTip>& tips);

/// All visible curves at the cursor, in the order in which they lie there.
std::vector<LossTip> tips_at(const LossView& view, double x);

}  // namespace headroom
