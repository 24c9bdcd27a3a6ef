#pragma once

#include <string>
#include <vector>

#include "panels/loss/loss_view.h"

namespace headroom {

/// What the tooltip says, as text: one row for each run at the cursor.
struct TooltipRow {
    int color = 0, shade = 0;
    std::string name;
    std::string value;  ///< as drawn
    std::string band;   ///< "2.81 … 3.04"; "" without one
    std::string raw;    ///< as logged
    std::string step, tokens, time;
};

struct LossTooltip {
    std::vector<TooltipRow> rows;
    std::string more;  ///< "and 12 more", "" if all are listed
};

/// At most `most` rows, those nearest to y, from top to bottom.
LossTooltip loss_tooltip(const LossView& view, double x, double y, size_t most = 12);

}  // namespace headroom
