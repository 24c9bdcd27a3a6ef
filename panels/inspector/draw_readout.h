#pragma once

#include <vector>

#include "panels/inspector/draw_map.h"

namespace headroom {

/// How many lines there are at most below the maps of so many runs.
double readout_lines(size_t panes);

/// The lines below the maps: which entry, what each run has there, and what its row and column come
/// to; without a cursor, what the head is like as a whole.
void draw_readout(ImDrawList& list, const MapPaint& paint,
                  const std::vector<const InspectorPane*>& panes,
                  const std::vector<TileStore::StatisticsPointer>& statistics,
                  const InspectorSettings& settings, const InspectorPlace& place,
                  const PixelBox& box);

/// The same of pictures: which query and patch, and what each run has there, in the picture and
/// outside it. Nothing of runs whose attention is not there.
void draw_picture_readout(ImDrawList& list, const MapPaint& paint,
                          const std::vector<const InspectorPane*>& panes,
                          const std::vector<std::optional<PatchAttention>>& attention,
                          const InspectorSettings& settings, const InspectorPlace& place,
                          const PixelBox& box);

/// The exact value at an entry, out of the finest level; nothing until it is read.
std::optional<double> value_at(TileStore& store, const MapSourcePointer& source,
                               const MapPlane& plane, const MapEntry& entry);

}  // namespace headroom
