#pragma once

#include <span>
#include <string>
#include <vector>

#include "panels/probe/probe_source.h"

namespace headroom {

/// Says which probes were made on other tokens than the rest, of models after other numbers of
/// steps or, if they are linear, trained otherwise, as such numbers are no comparison of models:
/// "not on the same tokens: a, b split:0.1 (8 × 64); c repeat:20?seed=0 (8 × 40)", "not after the
/// same number of steps: a, b (600); c (200)". Empty where they are alike. Reads the files.
/// UserError for a file that is no probe.
std::vector<std::string> probe_difference_notes(std::span<const ProbeSource> sources);

/// "seed 1" where all are of it, "a (seed 1); b (seed 2)" where they are not and their names do not
/// say so; "" where nothing tells. A picture of one seed is not one of its variant.
std::string seed_note(std::span<const ProbeSource> sources);

}  // namespace headroom
