#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/error.h"

namespace headroom {

/// UserError where one of a model's logits is no finite number: nothing that is made of them would
/// mean anything.
inline void check_logits(std::span<const double> logits) {
    if (std::all_of(logits.begin(), logits.end(),
                    [](double logit) { return std::isfinite(logit); }))
        return;
    throw UserError("the model's logits are not numbers",
                    "its training has diverged: take an earlier checkpoint");
}

}  // namespace headroom
