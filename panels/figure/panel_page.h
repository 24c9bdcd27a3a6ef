#pragma once

#include <string>
#include <vector>

#include "panels/figure/page_export.h"

namespace headroom {

/// How pages stand on one page.
struct PanelGrid {
    int columns = 2;
    double width_in = 6.75;
    std::string title;
    bool dark = false;
};

/// Between two columns, and above every panel for its letter, in inches.
inline constexpr double kPanelGapIn = 0.125, kPanelLetterIn = 0.1875;

/// The width of each panel. REQUIRES: at least one column.
double panel_width_in(const PanelGrid& grid);
/// What of a page of this height is left for the panels of each row.
double panel_height_in(const PanelGrid& grid, int rows, double height_in);

/// Panels at the size that they have, row by row, with the letters (a), (b), … above them; each row
/// is as high as its highest. The CSV has one table after the other. REQUIRES: 1 to 26 panels of
/// panel_width_in().
FigurePage panel_page(std::vector<FigurePage> panels, const PanelGrid& grid);

}  // namespace headroom
