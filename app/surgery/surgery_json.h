#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/surgery/measure_surgery.h"
#include "core/surgery/surgery.h"
#include "core/surgery/surgery_numbers.h"

namespace headroom {

/// One row of `surgery plan`: name, matrix, layer, applies, reason, weights_removed, condition.
/// `numbers` may be null: then nothing is known of the weights.
nlohmann::ordered_json plan_row(const ModelConfig& model, const SurgeryPlan& plan,
                                SurgeryNumbers* numbers);

/// "q", "q,o" or null; the layer or null.
nlohmann::ordered_json matrix_of(const SurgeryRequest& request);
nlohmann::ordered_json layer_of(const SurgeryRequest& request);

nlohmann::ordered_json to_json(const SurgeryDifference& difference);

}  // namespace headroom
