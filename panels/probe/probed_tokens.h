#pragma once

#include <span>
#include <string>

#include "panels/probe/probe_source.h"

namespace headroom {

/// Says which probes were made on other tokens than the rest, as numbers of different tokens are no
/// comparison of models: "not on the same tokens: a, b split:0.1 (8 × 64); c repeat:20?seed=0 (8 ×
/// 40)"; "" where all were made on the same. Reads the files. UserError for a file that is no
/// probe.
std::string different_tokens_note(std::span<const ProbeSource> sources);

}  // namespace headroom
