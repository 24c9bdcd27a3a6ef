#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace headroom {

/// A "budget" of study.json, of one run or of all: { "tokens": 2e6 } or { "flops": 1e15 }, of
/// training by the convention of FlopCount. Puts the train.steps into `job`, the document of a job,
/// that come nearest to it; one at least. UserError, naming `place`, for what is no budget, and
/// where FLOPs cannot be counted.
void apply_budget(const nlohmann::json& budget, nlohmann::json& job, const std::string& place);

/// The "job" of a study's document, with the steps that its "budget" makes of it where it says none
/// and they can be told; null where there is none.
nlohmann::json common_job(const nlohmann::json& document);

/// Whether a job's document says its steps itself.
bool says_steps(const nlohmann::json& job);

}  // namespace headroom
