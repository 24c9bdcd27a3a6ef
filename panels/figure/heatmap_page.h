#pragma once

#include <string>

#include "panels/figure/heatmap.h"
#include "panels/figure/page_export.h"

namespace headroom {

/// The maps as a page of all formats. The PDF's date is that of the newest run in it.
FigurePage heatmap_page(HeatmapFigure figure, bool dark);

/// Exactly what is shown: comment lines as in figure_csv(), then one row for each cell that is not
/// masked:
///
///     map,ROW,COLUMN,VALUE             or with the names of rows and columns, where they have any,
///     map,ROW,COLUMN,ROW_name,COLUMN_name,VALUE
///
/// ROW and COLUMN are the labels of the axes, counted from 0; VALUE is value_column.
std::string heatmap_csv(const HeatmapFigure& figure);

}  // namespace headroom
