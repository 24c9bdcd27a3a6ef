#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/stats/spread.h"
#include "panels/figure/figure.h"
#include "panels/study/measured_runs.h"
#include "panels/study/run.h"
#include "panels/study/run_facts.h"

namespace headroom {

/// A point of which less is better on both axes.
struct CostAndLoss {
    double cost = 0, loss = 0;
};

/// The points that no other dominates, by index: none costs no more and loses no more, and less of
/// one of the two. By rising cost; points that are equal stay together. A NaN is on no frontier.
std::vector<size_t> frontier_of(std::span<const CostAndLoss> points);

struct ParetoSettings {
    std::string x = "kv_bytes_per_token";  ///< a column of the run table, or step_seconds
    Measure measure;
    std::optional<int64_t> at_tokens;  ///< none: the most that a finished run has seen
    /// Id of a run: points of which a seed of its group is missing are hollow and on no frontier,
    /// and other seeds do not count. "" = the first run.
    std::string reference;
    bool relative = false;  ///< losses less the reference's of the same seed
    SeedBand band = SeedBand::kT95;
    bool log_x = false;
};

/// Runs that differ in nothing but their seed.
struct ParetoPoint {
    std::string name;
    double x = 0;
    std::vector<double> losses;  ///< by seed
    Spread spread;
    bool found = false;       ///< its wiring is a table of its own
    bool complete = false;    ///< it has every seed of the reference
    size_t shared_seeds = 0;  ///< that it has of the reference's
    bool on_frontier = false;
    int frontier_of_seeds = 0;  ///< seeds by whose losses alone it is on the frontier
};

struct ParetoView {
    Figure figure;
    std::vector<ParetoPoint> points;  ///< by rising x
    int64_t at_tokens = 0;
    std::vector<std::string> notes;
};

/// Whether a run says what it costs in `x`, one of `facts` or step_seconds. UserError for an x that
/// is none of these.
bool knows_cost(const Run& run, const RunFacts& facts, const std::string& x);

/// What runs came to against what they cost, each configuration a point with its spread over
/// seeds, and the frontier of means as a line of steps within the spread of its points. Runs that
/// ended before `at_tokens` are left out. UserError for an x that is no number in a run.
ParetoView build_pareto(const std::vector<RunPointer>& runs, const ParetoSettings& settings);

}  // namespace headroom
