#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panels/base/colormap.h"
#include "panels/figure/curve.h"
#include "panels/figure/figure.h"

namespace headroom {

/// What the rows or columns of a map are.
struct HeatmapAxis {
    std::string label;                    ///< "head", "token"
    std::vector<std::string> names = {};  ///< one for each; empty: numbers from 0
    bool texts = false;   ///< the names are texts: shown all, or some with their numbers
    bool turned = false;  ///< names of columns read upwards, as texts do always

    /// What stands at place `i`: its name, or the number. REQUIRES: a name for each, or none.
    std::string name_at(int64_t i) const;

    bool operator==(const HeatmapAxis&) const = default;
};

/// Layers or heads by the numbers that people see (shown_number).
HeatmapAxis numbered_axis(const std::string& label, int64_t count);

/// Cells that are no data.
enum class HeatmapMask {
    kNone,
    kAboveDiagonal,
    kDiagonal,
    kUnknown,  ///< whatever is NaN: nothing was asked there
};

/// What lies under the cells of a map, which then let it show through.
struct HeatmapGround {
    int64_t side = 0;
    std::vector<uint8_t> pixels;  ///< [side, side, 3], red, green, blue
    double cover = 1;             ///< how much of it the cells cover, 0 to 1
};

/// One matrix as a map of colours; row 0 is at the top.
struct HeatmapPanel {
    std::string name;
    HeatmapAxis row_axis, column_axis;
    int64_t rows = 0, columns = 0;
    Column values;  ///< [rows, columns]
    HeatmapMask mask = HeatmapMask::kNone;
    std::shared_ptr<const HeatmapGround> ground = {};  ///< null: none

    double at(int64_t row, int64_t column) const {
        return (*values)[static_cast<size_t>(row * columns + column)];
    }
    bool is_masked(int64_t row, int64_t column) const {
        return (mask == HeatmapMask::kAboveDiagonal && column > row) ||
               (mask == HeatmapMask::kDiagonal && column == row) ||
               (mask == HeatmapMask::kUnknown && std::isnan(at(row, column)));
    }
};

/// Maps as the cells of a grid, row by row, all of one shape; what they are, its axes say.
struct HeatmapGrid {
    HeatmapAxis row_axis, column_axis;
    int columns = 1;
};

/// Maps side by side on one colour scale, as plain data: one painter draws them on the screen and
/// into PDF, SVG and PNG, and one writer puts them into CSV.
struct HeatmapFigure {
    std::string title;
    double width_in = kTextWidthIn;
    double height_in = 0;  ///< 0: as high as the maps need
    std::vector<HeatmapPanel> panels;
    std::optional<HeatmapGrid> grid;  ///< none: each map stands with its own axes
    ColorScale scale;
    std::string value_label;             ///< beside the colour bar: "cosine"
    std::string value_column = "value";  ///< in the CSV
    std::string footnote;
    std::string empty_text;  ///< in place of maps where there are none
    std::vector<FigureSource> sources;
};

/// All values that are drawn with a colour of the scale or beyond it, for make_color_scale().
std::vector<double> unmasked_values(const std::vector<HeatmapPanel>& panels);

/// What stands in the maps beside the colours of the scale.
struct HeatmapOddities {
    bool below = false, above = false;  ///< values beyond the limits of the scale
    bool masked = false, nan = false, infinity = false;
};

HeatmapOddities find_oddities(const HeatmapFigure& figure);

}  // namespace headroom
