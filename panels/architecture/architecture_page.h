#pragma once

#include <optional>
#include <string>
#include <vector>

#include "panels/architecture/architecture_layout.h"
#include "panels/figure/page_export.h"

namespace headroom {

struct ArchitecturePageOptions {
    std::optional<double> width_in, height_in;  ///< default: what the pictures need
    std::string title;                          ///< of the page
    bool notes = true;
    bool dark = false;
    int most_rows = 12;
    std::vector<int> details;  ///< of a single model; empty: as many kinds as there is room for
    std::optional<int> layer;  ///< 0-based: show this one in detail, and no other
    bool mark_differences = false;  ///< of two models
};

/// Pictures of one or more models beside each other, as a page for export. `description` says where
/// they are from. UserError where a picture would be too small to read.
FigurePage architecture_page(const std::vector<ArchitectureView>& views,
                             const ArchitecturePageOptions& options,
                             const std::string& description);

}  // namespace headroom
