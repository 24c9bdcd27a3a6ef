#pragma once

#include <filesystem>
#include <string>

#include "panels/figure/figure.h"
#include "panels/figure/page_export.h"

namespace headroom {

/// The figure as a page: all formats, the CSV as figure_csv.h says. The PDF's date is that of the
/// newest run in it.
FigurePage make_page(Figure figure, bool dark);

/// The bytes of the figure in a format; see render_page().
std::string render_figure(const Figure& figure, FigureFormat format, bool dark);

}  // namespace headroom
