#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/probe/linear_probe.h"
#include "core/stats/spread.h"
#include "panels/figure/figure.h"

namespace headroom {

/// The linear probes of one run at one step.
struct ProbedRun {
    std::string id;     ///< of the run
    std::string group;  ///< for people; equal for runs that differ in their seed alone
    int color = 0;      ///< of the group
    int64_t step = -1;
    LinearProbeResult probe;
    FigureSource source;
    std::string repeats{};         ///< repeat_note() of a run that counts in no mean; else ""
    std::filesystem::path file{};  ///< with the tokens that were probed; "": nobody can ask
};

enum class ProbeNumber { kValLoss, kTrainLoss, kControlLoss, kSelectivity, kAccuracy };

struct LinearProbeSettings {
    ProbeNumber number = ProbeNumber::kValLoss;
    int fit_first = -1, fit_last = -1;  ///< layers of the line; -1: as the probes were made
    bool deep_only = false;             ///< the layers of the line alone
    SeedBand band = SeedBand::kMinMax;
};

/// One line of the figure: a variant, or a run.
struct ProbeLine {
    std::string name;
    int seeds = 1;
    double slope = 0;  ///< of the mean over the seeds, per layer; NaN with one layer
    std::vector<double> layers, mean;
};

struct LinearProbeView {
    Figure figure;  ///< title and size are left to the caller
    std::vector<ProbeLine> lines;
    std::vector<std::string> notes;  ///< also the figure's footnote
};

/// Loss of the linear probes against the layer with a straight line through the deep layers, as
/// figure 12 of Wu et al. (SkipV1Former); its slope stands in the legend. Runs of one variant are
/// drawn as their mean with a band over the seeds, on the layers that all have; what keeps their
/// probes from being compared (probe_difference_notes) is said. Empty with a reason if there is
/// nothing to draw.
LinearProbeView build_linear_probe(const std::vector<ProbedRun>& runs,
                                   const LinearProbeSettings& settings);

}  // namespace headroom
