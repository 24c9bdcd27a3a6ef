#pragma once

#include <optional>
#include <set>
#include <string>

#include "core/stats/spread.h"
#include "panels/figure/figure.h"

namespace headroom {

enum class LossKind { kTrain, kVal };

/// What runs along the x axis. kSeconds counts from the run's start without pauses; kWall is the
/// time of day, from the start of the run on. kComputeShare, for figures of runs that were trained
/// on from another, is per cent of the FLOPs of that one's training.
enum class LossX { kSteps, kTokens, kSeconds, kWall, kComputeShare };

enum class RelativeUnit { kNats, kPercent };

/// "steps", "tokens", "seconds", "wall", "compute-share"; "nats", "percent": on the command line
/// and in stored settings.
std::string name_of(LossX x);
std::string name_of(RelativeUnit unit);
/// UserError with the nearest name for a word that is none.
LossX parse_loss_x(const std::string& word);
std::vector<std::string> loss_x_names();
RelativeUnit parse_relative_unit(const std::string& word);
std::vector<std::string> relative_unit_names();

/// Everything that a person may choose about the loss panel. Plain data, kept between sessions.
struct LossSettings {
    LossX x = LossX::kTokens;
    /// A series of the log in place of the losses, such as "train/grad_norm" or "scalars/NAME"; it
    /// is smoothed as the training loss is. "" = the losses.
    std::string metric;
    bool train = true;
    bool val = true;
    double smoothing = 0.6;   ///< TensorBoard's weight, in [0, 1)
    bool smooth_val = false;  ///< validation has few points and no batch noise: shown as measured
    bool raw_behind = true;   ///< the raw line, faint, behind a smoothed one
    bool log_x = false;
    bool log_y = false;
    bool ignore_outliers = false;  ///< y from the 5 % to the 95 % quantile
    std::string baseline;          ///< id of the run that losses are relative to; "" = absolute
    RelativeUnit unit = RelativeUnit::kNats;
    /// Id of the run that the others were trained on from; "" = none. kComputeShare is of its
    /// training, and it is one of `ruled`.
    std::string reference;
    /// Ids of runs that are not drawn but for a rule at their last validation loss; with
    /// `group_seeds` at the mean over the seeds of their variant.
    std::set<std::string> ruled;
    bool group_seeds = false;
    SeedBand band = SeedBand::kT95;
    bool legend = true;            ///< in the chart; the run list beside it names the curves too
    std::set<std::string> hidden;  ///< ids of runs (or of variants, when grouped) not drawn
    /// Ids of runs that means over seeds do not count, though others may be compared with them.
    std::set<std::string> left_out;
    std::optional<Range> x_range;  ///< where the person zoomed to; else everything
    std::optional<Range> y_range;
    std::string title;
    double width_in = kTextWidthIn;
    double height_in = 3.4;
};

}  // namespace headroom
