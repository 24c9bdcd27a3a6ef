#pragma once

#include <vector>

#include "panels/architecture/architecture_view.h"

namespace headroom {

/// One row of the column of layers: a layer, or several that repeat their neighbours.
struct LayerRow {
    std::vector<int> layers;
    bool dots = false;  ///< these are left out

    bool operator==(const LayerRow&) const = default;
};

/// A row for each layer of a model of at most `most_rows` layers. In a deeper one, where at least
/// four layers (or pairs, or other groups) in sequence are alike, those between the first and the
/// last become one row. Layers that share their weights are one row.
std::vector<LayerRow> layer_rows(const ArchitectureView& view, int most_rows);

/// Index of the row that holds a layer.
int row_of(const std::vector<LayerRow>& rows, int layer);

}  // namespace headroom
