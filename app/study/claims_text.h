#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "panels/study/claim_answers.h"

namespace headroom {

/// "-0.0113 [-0.0151, -0.0076]", the estimate of a step with its interval; "-" where there is none.
std::string estimate_text(const StepAnswer& step);

/// In what a claim's pairs and its measure are not the usual ones, a sentence each.
std::vector<std::string> conditions_of(const Claim& claim);

/// A table for people: a line for each step of a claim, sentences and notes below it.
std::string claims_table(const std::vector<ClaimAnswer>& answers);

/// For programs; what is unknown is null.
nlohmann::ordered_json claims_json(const std::vector<ClaimAnswer>& answers);

}  // namespace headroom
