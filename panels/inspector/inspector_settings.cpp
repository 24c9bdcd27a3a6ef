#include "panels/inspector/inspector_settings.h"

namespace headroom {

bool is_signed(const MapInfo& info, MapSignal signal) {
    return info.differs || signal == MapSignal::kLogits;
}

ColorChoice color_choice(const InspectorSettings& settings, bool both_signs) {
    ColorChoice choice;
    choice.map = both_signs ? settings.diverging : settings.sequential;
    choice.mode = settings.range;
    choice.percentile = settings.percentile;
    choice.sigmas = settings.sigmas;
    choice.lower = settings.lower;
    choice.upper = settings.upper;
    // A logarithm has no place for what is negative; its symmetric form has.
    const bool log = settings.scale == ValueScale::kLog;
    choice.scale = both_signs && log ? ValueScale::kSymLog : settings.scale;
    return choice;
}

MapPlane plane_of(const InspectorSettings& settings, const MapInfo& info, HeadId head) {
    MapPlane plane{head.layer, head.head, settings.signal, settings.value};
    if (!info.has_logits) plane.signal = MapSignal::kWeights;
    if (info.differs) plane.value = CellValue::kMean;
    return plane;
}

}  // namespace headroom
