#pragma once

#include "panels/inspector/draw_map.h"

namespace headroom {

/// What a query attends to as far as it is read: nothing until then.
std::optional<PatchAttention> stored_attention(TileStore& store, const MapSourcePointer& source,
                                               const MapPlane& plane, const PictureQuery& query,
                                               Urgency urgency);

/// Room around a picture for the names of its axes and the numbers of its patches, in pixels.
MapSurround picture_surround();

/// The picture, in greys, and on it the heat, which covers the share `heat` of it: all of it where
/// there is no picture; at 0 the picture has its colours. `frame` counts patches. `clip`: only this
/// part of the frame.
void draw_picture(ImDrawList& list, const MapPaint& paint, const MapSource& source,
                  const TileKey& key, const PatchAttention& attention, const MapFrame& frame,
                  const ColorScale& scale, double heat, const PixelBox& clip);

/// The picture itself. REQUIRES: the source has one.
void draw_original(ImDrawList& list, const MapPaint& paint, const MapSource& source,
                   const PixelBox& box);

/// "r1" left of and "c2" below the patches.
void draw_patch_names(ImDrawList& list, const Theme& theme, int64_t columns, const MapFrame& frame,
                      const std::optional<PatchPlace>& cursor);

/// A frame around a patch, with edges of another colour, so that it stands out on any picture.
void draw_patch_frame(ImDrawList& list, const MapFrame& frame, PatchPlace patch, ImU32 colour,
                      ImU32 edges);

}  // namespace headroom
