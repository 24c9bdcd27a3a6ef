#pragma once

#include <optional>

#include "panels/base/colormap.h"
#include "panels/inspector/atlas_layout.h"
#include "panels/inspector/head_statistics.h"
#include "panels/inspector/map_frame.h"
#include "panels/inspector/picture_attention.h"

namespace headroom {

/// How several runs stand beside each other. The first is A, the reference.
enum class CompareMode { kOne, kSideBySide, kSplit, kDifference };

/// What the person has set; kept between sessions.
struct InspectorSettings {
    MapSignal signal = MapSignal::kWeights;
    CellValue value = CellValue::kMean;
    CompareMode compare = CompareMode::kSideBySide;
    ColorMap sequential = ColorMap::kViridis;  ///< for values of one sign
    ColorMap diverging = ColorMap::kRdBu;      ///< for logits and differences
    RangeMode range = RangeMode::kPercentile;
    double percentile = 1;
    double sigmas = 3;
    double lower = 0, upper = 1;
    ValueScale scale = ValueScale::kLinear;
    Margin margin = Margin::kMax;
    bool over_picture = true;  ///< of images: what one query attends to, where the patches lie
    double heat = 0.6;         ///< how much of the picture it covers, 0 to 1
    bool show_atlas = true;
    bool show_margins = true;

    bool operator==(const InspectorSettings&) const = default;
};

enum class MapDrag { kNone, kBox, kPan, kSplit };

/// Where the person is; the same for all runs that are shown, so that views stay linked.
struct InspectorPlace {
    HeadId head;          ///< the head that is drawn large
    bool locked = false;  ///< clicked: hovering other heads does not change it
    MapWindow window;
    std::optional<MapEntry> cursor;
    PictureQuery query;               ///< whose attention lies over pictures
    std::optional<PatchPlace> patch;  ///< of a picture, under the cursor
    double split = 0.5;               ///< share of the width that shows A
    MapDrag drag = MapDrag::kNone;
};

/// Whether values of both signs are to be expected, which asks for a diverging map.
bool is_signed(const MapInfo& info, MapSignal signal);
ColorChoice color_choice(const InspectorSettings& settings, bool both_signs);
MapPlane plane_of(const InspectorSettings& settings, const MapInfo& info, HeadId head);

}  // namespace headroom
