#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "panels/study/study_comparison.h"

namespace headroom {

/// A table for people: a line for each variant, what was left out below it.
std::string comparison_table(const StudyComparison& comparison);

/// For programs; what is unknown is null.
nlohmann::ordered_json comparison_json(const StudyComparison& comparison);

}  // namespace headroom
