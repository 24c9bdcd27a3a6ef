#pragma once

#include <memory>
#include <string>

#include "panels/figure/page_export.h"
#include "panels/wiring/wiring_view.h"

namespace headroom {

/// The wiring as a picture of a paper: keys and values, as the canvas draws them by role, in
/// vectors on white, with the legend and the total below. Layers and heads are numbered as the
/// settings say, in the CSV from 0. REQUIRES: the view is not empty.
FigurePage wiring_page(std::shared_ptr<const WiringView> view, bool show_keys, bool show_values);

/// One row for each source of each head: table, layer, head, source_layer, source_head, weight,
/// learned. A head that reads nothing has a row without a source.
std::string wiring_csv(const WiringView& view);

}  // namespace headroom
