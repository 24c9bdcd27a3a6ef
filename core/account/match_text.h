#pragma once

#include <string>

#include "core/account/match.h"

namespace headroom {

/// Private to core/account: what a match says in words.

/// "cache bytes per token do not depend on d_ff: they are 49,152 against 24,576 of the baseline".
std::string does_not_depend_text(MatchMeasure measure, MatchKey key, const CountPair& counts);

/// The best attempt, and which other counts are equal with it and which are not.
std::string match_sentence(const MatchResult& result);

}  // namespace headroom
