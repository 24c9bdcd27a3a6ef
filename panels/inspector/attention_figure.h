#pragma once

#include <string>
#include <vector>

#include "panels/figure/heatmap.h"
#include "panels/inspector/inspector_settings.h"

namespace headroom {

struct AttentionFigureSettings {
    HeadId head;
    InspectorSettings colors;   ///< also signal, cells, and whether differences are shown
    int64_t most_cells = 1024;  ///< on a side of a map; larger ones are drawn in coarser cells
    /// Of images: the map is what this position attends to, over the patches where they lie in the
    /// picture. "": all positions to all.
    std::string query = {};  ///< as the position reads ("cls", "r0c3"), its number, or "mean"
    bool picture = false;    ///< the picture itself lies under the map of a query
};

/// One head of some records side by side on one scale, or with CompareMode::kDifference of each
/// other one minus the first. Reads the maps whole: not for the UI thread where they are large.
/// UserError for a head that a record does not have, for logits that it does not hold, for
/// differences of different tokens, for a query of what is no image or has no such position, and
/// for a picture that a record does not have.
HeatmapFigure build_attention_figure(const std::vector<MapSourcePointer>& sources,
                                     const AttentionFigureSettings& settings);

/// All heads of a record, layer by layer, in at most 64 cells each, on one scale.
HeatmapFigure build_attention_atlas(const MapSourcePointer& source,
                                    const AttentionFigureSettings& settings);

}  // namespace headroom
