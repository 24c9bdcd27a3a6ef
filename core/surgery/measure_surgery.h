#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/dtype.h"
#include "core/device/device.h"
#include "core/surgery/surgery.h"
#include "core/weights/weight_source.h"

namespace headroom {

/// How far the same numbers of two models are apart: the greatest difference, and the standard
/// deviation of the first model's numbers, which says what it means.
struct NumberDifference {
    double greatest = 0, spread = 0;
    /// NaN where the first model's numbers are all alike, so that nothing can be said.
    double relative() const { return spread > 0 ? greatest / spread : std::nan(""); }
};

/// A model and what a surgery made of it, on the same tokens, both in one precision.
struct SurgeryDifference {
    DType precision = DType::kF64;
    std::string missing = {};  ///< why it was not measured; "": it was
    NumberDifference logits = {};
    /// The residual stream before the first block and after each: X Theta of the original against X
    /// of the result, Theta being the basis that the surgery gave the place.
    std::vector<NumberDifference> streams = {};
};

/// Runs one model after the other, so that one of them is in memory at a time. What the device or
/// the memory does not allow is said in `missing`.
SurgeryDifference measure_surgery(const WeightSource& before, const WeightSource& after,
                                  const SurgeryPlan& plan, std::span<const int32_t> tokens,
                                  DType precision, Device& device);

}  // namespace headroom
