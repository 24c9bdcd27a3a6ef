#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "panels/probe/probe_source.h"

namespace headroom {

/// The files of `headroom probe KIND` that arguments name, in their order: each is such a file, a
/// run folder, or a study folder for all its runs; of folders the probe of `step`, or the newest
/// for -1. Files that lie in a run's folder are called by the run. UserError for a word that is
/// none of these, and for a run without such a probe, with the command that makes it. Runs of a
/// study whose log cannot be read go to `left_out`.
std::vector<ProbeSource> find_probes(const std::vector<std::string>& arguments,
                                     std::string_view kind, int64_t step,
                                     std::vector<std::string>& left_out);

}  // namespace headroom
