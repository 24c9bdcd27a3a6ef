#pragma once

#include <map>
#include <string>
#include <vector>

#include "panels/results/results_view.h"
#include "panels/study/run_facts.h"

namespace headroom {

/// Runs that are one line of results, by their x.
struct RunLine {
    std::string name;
    int color = 0;  ///< of its first run
    std::map<double, std::vector<RunPointer>> cells;

    bool holds(const Run& run) const;
};

/// The lines of `runs` without those of the group `reference`. Unless `settings.by` makes them,
/// they are variants: a line has the name that its first run has, seeds of one group stand on one
/// line whatever they are called, and jobs that differ in more than x never share a point: their
/// lines say what else it is. What `by` pools is named in `notes`. UserError where x is no number
/// of a run.
std::vector<RunLine> lines_of(const std::vector<RunPointer>& runs, const RunFacts& facts,
                              const ResultsSettings& settings, const std::string& reference,
                              std::vector<std::string>& notes);

}  // namespace headroom
