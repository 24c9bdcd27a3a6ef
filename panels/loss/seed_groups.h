#pragma once

#include <span>
#include <string>
#include <vector>

#include "panels/loss/loss_view.h"

namespace headroom {

/// Replaces the curves of runs that differ in their seed alone by their mean with its band, at the
/// steps that all of them have. A seed without any point, and a failed one that ended before the
/// others, is left out; that, and a mean cut short by a seed that is still running, is added to
/// `notes`. Curves of variants with a single seed stay as they are.
std::vector<LossCurve> group_by_seed(const std::vector<LossCurve>& curves, SeedBand band,
                                     std::vector<std::string>& notes);

/// Adds what is not said yet.
void add_note(std::vector<std::string>& notes, const std::string& note);

}  // namespace headroom
