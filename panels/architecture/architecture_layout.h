#pragma once

#include <vector>

#include "panels/architecture/architecture_view.h"
#include "panels/architecture/drawing_layout.h"

namespace headroom {

struct ArchitectureOptions {
    /// Deeper models draw repeated layers once.
    int most_rows = 12;
    /// The kinds of layers to show in detail, as indices; empty: the most telling one.
    std::vector<int> details;
    bool title = false;
    bool note = true;  ///< small print below, with the counts
};

/// The picture of a model: the column of its layers with what runs between them, one block in
/// detail beside it, and a key to the marks. Pure; takes a millisecond or two.
DrawingLayout lay_out_architecture(const ArchitectureView& view,
                                   const ArchitectureOptions& options = {});

/// Rows of layers that a space of this height shows at natural size: more are drawn collapsed.
int rows_for_height(double height);
/// As many kinds, the most telling first, as a page of `width` points can hold at nearly full size.
std::vector<int> details_for_width(const ArchitectureView& view, double width);
/// As many as a space of these proportions shows without drawing all of them much smaller.
std::vector<int> details_for_space(const ArchitectureView& view, ArchitectureOptions options,
                                   double width, double height);

/// Two pictures of compared models, with what differs marked in both.
struct ComparedLayouts {
    DrawingLayout model, baseline;
};
ComparedLayouts lay_out_compared(ArchitectureView model, ArchitectureView baseline,
                                 const ArchitectureOptions& options = {});

}  // namespace headroom
