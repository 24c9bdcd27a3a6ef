#pragma once

#include <map>
#include <string>
#include <vector>

#include "panels/run/run_snapshot.h"

namespace headroom {

/// What is read from a run's folder to name it.
struct RunIdentity {
    std::string folder;  ///< path
    std::string job;     ///< the resolved job as JSON; "" or garbage is allowed
};

/// Identifies runs that are shown together. Fills id, name, folder, variant and seed:
/// - id: the folder's last name, with its parents where two would be the same;
/// - variant: equal exactly for runs whose jobs differ in seed and name alone; called by the job's
///   name without a trailing seed ("skipv1-s2" is "skipv1");
/// - name: the variant, with ", seed 2" where it has several runs here.
std::vector<RunSnapshot> identify_runs(const std::vector<RunIdentity>& runs);

/// The colours that have been given, by run folder and by variant.
struct RunColors {
    std::map<std::string, int> runs, variants;
};

/// Gives every run and variant without a colour the lowest one that none has here, and remembers
/// it, so that each keeps its colour while others come and go.
void assign_colors(std::vector<RunSnapshot>& runs, RunColors& colors);

/// Unix time of an ISO 8601 time such as 2025-01-31T12:00:00Z or …+01:00; 0 if it is not one.
double parse_iso_time(const std::string& text);

}  // namespace headroom
