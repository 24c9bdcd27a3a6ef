#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/checkpoint_loading.h"
#include "app/eval_options.h"

namespace headroom {

struct ApplyArguments {
    CheckpointArguments checkpoint;
    std::string transform, dtype = "f64", out, report, tokens;
    std::vector<std::string> matrices;
    std::optional<int> layer;
    bool untie = false, json = false;
    std::optional<uint64_t> seed;
    EvalOptions eval;
};

/// Writes the result, measures it where a report or data were asked for, and says what was done.
/// UserError for a surgery that the model does not admit.
void apply_surgery(const ApplyArguments& arguments);

}  // namespace headroom
