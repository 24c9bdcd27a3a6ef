#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/stats/spread.h"
#include "panels/figure/figure.h"
#include "panels/study/measured_runs.h"
#include "panels/study/published_points.h"
#include "panels/study/run.h"

namespace headroom {

struct ResultsSettings {
    std::string x;    ///< a column of the run table, such as train.lr, params, or lr
    Measure measure;  ///< of each run, at its end
    std::string by;   ///< a column that makes the lines; "" = the runs' names without their seeds
    std::string reference;  ///< id of a run whose group is a rule in place of a point; "" = none
    bool relative = false;  ///< numbers less the reference's of the same seed
    SeedBand band = SeedBand::kT95;
    bool log_x = false, log_y = false;
    /// Hollow marks. Of another scale and other data than ours: where the reference has one too,
    /// their differences to it are laid on ours.
    std::vector<PublishedPoint> published{};
};

/// The runs of one line at one x.
struct ResultsPoint {
    double x = 0;
    int n = 0;         ///< runs that have the measure
    int diverged = 0;  ///< runs that have none because they diverged
    Spread spread;     ///< of the n
};

struct ResultsLine {
    std::string name;
    std::vector<ResultsPoint> points;     ///< x ascending
    std::optional<double> best_x;         ///< where the mean is best
    std::vector<double> best_x_of_seeds;  ///< where each seed that has all points is best
};

struct ResultsView {
    Figure figure;
    std::vector<ResultsLine> lines;
    std::vector<std::string> notes;
    std::string why_empty{};  ///< where none can be compared with the reference, else ""
};

/// What runs came to against a key of their jobs: means over seeds with a band; where training
/// diverged a cross at the upper edge. UserError for an x that is not known or no number.
ResultsView build_results(const std::vector<RunPointer>& runs, const ResultsSettings& settings);

}  // namespace headroom
