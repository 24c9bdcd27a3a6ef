#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "panels/loss/loss_view.h"

namespace headroom {

/// One line of the tooltip: the point of a curve that is nearest to the cursor in x.
struct LossTip {
    std::string name;  ///< with "train" or "val" where both are shown
    int color = 0, shade = 0;
    double x = 0;
    double value = 0;  ///< smoothed, as drawn
    double raw = 0;
    double lower = 0, upper = 0;  ///< NaN without a band
    int seeds = 1;
    int64_t step = 0;
    int64_t tokens = 0;
    double seconds = 0;
};

/// The highest first, NaN last.
void sort_from_the_top(std::vector<LossTip>& tips);

/// The visible curves at the cursor, in the order in which they lie there: those that reach it, or
/// all where none does. Reads the logs of long runs.
std::vector<LossTip> tips_at(const LossView& view, double x);

}  // namespace headroom
