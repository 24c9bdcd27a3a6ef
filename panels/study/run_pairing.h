#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "panels/study/run.h"

namespace headroom {

/// Why two runs cannot be compared as a pair up to `at_tokens` (to their ends where none), or "" if
/// they can: data, seed, steps and every batch hash agree.
std::string pairing_problem(const Run& a, const Run& b, std::optional<int64_t> at_tokens);

/// A validation curve: tokens strictly ascending, losses finite.
struct LossCurvePoint {
    int64_t tokens = 0;
    double loss = 0;
};
std::vector<LossCurvePoint> validation_curve(const Run& run);

/// Mean of several curves at the numbers of tokens that all of them have.
std::vector<LossCurvePoint> mean_of(const std::vector<std::vector<LossCurvePoint>>& curves);

/// Share of `baseline_tokens` that is saved where `curve`, linear between its points, first stays
/// at or below `loss`; none where it does not.
std::optional<double> tokens_saved(const std::vector<LossCurvePoint>& curve, double loss,
                                   int64_t baseline_tokens);

}  // namespace headroom
