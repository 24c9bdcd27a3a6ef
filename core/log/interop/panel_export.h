#pragma once

#include <string>
#include <vector>

namespace headroom {

// The table that Weights & Biases exports of a panel. A curve has three columns, "RUN - METRIC" and
// the same with __MIN and __MAX, between which the tool has thinned it out; the curves of all runs
// of the panel stand beside each other.

/// The runs of such a table by its heads, in their order; none of any other table.
std::vector<std::string> runs_of_panel(const std::vector<std::string>& heads);

/// The heads as those of one run's table: its metrics under their own names, and "" for columns to
/// be passed over. Those of any other table as they are, and so are those of which somebody `asked`
/// for one by its whole name. `run` is one of runs_of_panel(), "" the only one. UserError where
/// there is no such run, or which one is not said.
std::vector<std::string> heads_of_run(const std::vector<std::string>& heads, const std::string& run,
                                      const std::vector<std::string>& asked = {});

}  // namespace headroom
