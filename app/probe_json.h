#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/probe_input.h"
#include "core/probe/number_array.h"

namespace headroom {

/// Nested lists, outermost dimension first; null for what is not finite.
nlohmann::ordered_json to_json(const NumberArray& array);
nlohmann::ordered_json to_json(const NumberArrays& arrays);

/// What every probe's JSON document begins with: where it was written, which checkpoint and step,
/// how many tokens.
nlohmann::ordered_json probe_document(const ProbeInput& input);

/// The line on standard error that ends a report: the file, and on how much it was measured.
void print_probe_end(const ProbeInput& input);

}  // namespace headroom
