#pragma once

#include <memory>
#include <string>

#include "panels/figure/page_export.h"
#include "panels/wiring/wiring_view.h"

namespace headroom {

/// What of a wiring is drawn, as on the canvas.
struct WiringPageOptions {
    bool keys = true;
    bool values = true;
    bool by_owner = false;  ///< in the colours of the layers whose cache is read, not by role
    bool dark = false;
    bool notes = true;  ///< the total, below the legend
    std::string title{};
};

/// The wiring as a picture of a paper: keys and values, as the canvas draws them, in vectors, with
/// the legend and the total below. Layers and heads are numbered as the
/// settings say, in the CSV from 0. REQUIRES: the view is not empty.
FigurePage wiring_page(const std::shared_ptr<const WiringView>& view,
                       const WiringPageOptions& options = {});

/// One row for each source of each head: table, layer, head, source_layer, source_head, weight,
/// learned. A head that reads nothing has a row without a source.
std::string wiring_csv(const WiringView& view);

}  // namespace headroom
