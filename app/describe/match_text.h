#pragma once

#include <string>

#include "core/account/match.h"

namespace headroom {

/// Prints what each key can do, the best of them, and the --set line that applies it.
void print_match(const std::string& model, const std::string& baseline, const MatchResult& result);

}  // namespace headroom
