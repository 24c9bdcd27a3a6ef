#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/wiring/wiring_edit.h"
#include "panels/figure/heatmap.h"
#include "panels/wiring_editor/rewire_map.h"

namespace headroom {

/// A rewire map as a heat map: a row for each layer that could be read, a column for each reader, a
/// head or the heads of a layer together; places are the nats that the loss rises by, of several
/// heads each alone, on average.
struct RewireFigure {
    KvTable table = KvTable::kValues;
    HeatmapFigure figure;
    std::vector<std::vector<HeadId>> readers;  ///< by column
};

/// Which readers have columns.
struct RewireReaders {
    static constexpr int kHeads = -2, kLayers = -1;
    int layer = kHeads;  ///< every head, layers, or the heads of this layer
};

RewireFigure rewire_figure(const RewireMap& map, KvTable table, RewireReaders readers);

/// The edit that a cell stands for: its readers read that layer, each head its own number.
WiringEdit edit_of_cell(const RewireFigure& picture, int64_t row, int64_t column);

/// Rows and columns of what is read in a table that has the map's sizes: by all readers of a column
/// alike, their own number of one layer and nothing else.
std::vector<std::pair<int64_t, int64_t>> cells_read(const RewireFigure& picture,
                                                    const Wiring& wiring);

}  // namespace headroom
