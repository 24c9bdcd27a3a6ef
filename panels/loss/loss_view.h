#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "panels/figure/figure.h"
#include "panels/loss/loss_rows.h"
#include "panels/loss/loss_settings.h"
#include "panels/study/run.h"

namespace headroom {

/// Whether a run is neither drawn nor counted in a mean.
bool is_hidden(const Run& run, const LossSettings& settings);

/// Points of a curve with all that is known of them. All columns are equally long; with a group,
/// `rows` are those of its first seed.
struct CurvePoints {
    std::vector<uint32_t> rows;
    Column x;
    Column seconds;       ///< since the start of the run; null: read in the log, by seconds_of()
    Column raw;           ///< as logged, or the difference from the baseline
    Column value;         ///< smoothed
    Column lower, upper;  ///< of the band; null without one

    bool has_band() const { return lower != nullptr; }
};

/// Of the i-th of the points, which are rows of the series.
inline double seconds_of(const LossRows& series, const CurvePoints& points, size_t i) {
    return points.seconds ? (*points.seconds)[i] : seconds_at(series, points.rows[i]);
}

/// One line of the loss panel: training or validation of one run, or the mean over the seeds of one
/// variant. Of a curve with more than kMostPoints, the points are the first of equally long
/// stretches and the last of all.
struct LossCurve : CurvePoints {
    std::string id;    ///< the run's id, or the variant when grouped; what hiding goes by
    std::string name;  ///< "baseline", "baseline (3 seeds)"
    LossKind kind = LossKind::kTrain;
    int color = 0;
    int shade = 0;  ///< of the run in its group
    int seeds = 1;
    bool visible = true;
    LossRows series;
    int64_t first_bad_step = 0;  ///< of the first value that is not finite; 0: all are
    double x_scale = 1;          ///< what x was multiplied by: kComputeShare counts tokens
    size_t points = 0;           ///< how many there are, kept or not
    /// Of a curve made of a pyramid, what its lines are from afar: raw, and smoothed if they
    /// differ.
    std::shared_ptr<const CurveOutline> raw_outline, value_outline;
    /// Of a long curve, all points of what is looked at closely; null where there is no such thing.
    std::shared_ptr<const CurvePoints> close;
    std::vector<Point> resumed;  ///< where the run took up again
    /// What is drawn; null before finish_curve(), and those that the curve does not have.
    CurveData raw_line, value_line, lower_line, upper_line;

    bool is_sampled() const { return points > rows.size(); }
    /// Whether what a point says of itself may have to be read from a log.
    bool reads_log() const { return series.run->series->train.step.stored_rows() > 0; }
    /// The points to look among for what is at x.
    const CurvePoints& near(double at) const;
};

/// The loss panel, ready to be drawn: the figure, and what a tooltip needs beside it.
struct LossView {
    Figure figure;
    std::vector<LossCurve> curves;
    std::vector<std::string> notes;  ///< what the figure's footnote says, one point each
    std::string why_empty{};         ///< where runs that cannot be compared are left out, else ""
    Range x_all, y_all;              ///< where "fit" goes
};

/// Names of the curves that lie wholly outside a part of the axes that was chosen by hand
/// (`settings`) and that `drawn`, this view's figure, shows.
std::vector<std::string> names_out_of_sight(const LossView& view, const LossSettings& settings,
                                            const Figure& drawn);

class LossCache;
class KeptCurves;

struct LossBuild {
    LossCache* cache = nullptr;  ///< keeps what was read of long logs for the next time
    KeptCurves* kept = nullptr;  ///< the same for the curves made of them
    bool all_points = false;     ///< keep those of long curves too, for CSV
    /// Called now and then with what there is so far, while it takes long; it says that it is a
    /// part.
    std::function<void(LossView)> progress = {};
    /// What is shown until then has all curves of before: a part must have those that it can have.
    bool was_whole = false;
    std::chrono::milliseconds progress_every{300};
};

/// Pure: the same snapshots and settings give the same view. The order of `runs` is the order of
/// the legend. May take long for millions of points and reads logs: call it off the UI thread.
LossView build_loss(std::span<const RunPointer> runs, const LossSettings& settings,
                    const LossBuild& build = {});

}  // namespace headroom
