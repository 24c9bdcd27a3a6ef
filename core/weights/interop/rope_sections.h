#pragma once

#include <functional>

#include "core/weights/interop/config_reader.h"

namespace headroom {

/// Of files of Hugging Face that name no base of the rotary angles.
inline constexpr double kRopeBase = 10000.0;

/// Visits the objects in which newer files of Hugging Face say how positions rotate. UserError for
/// one that scales the angles, which is not computed here.
void visit_rope_sections(
    const ConfigReader& config,
    const std::function<void(const char* key, const ConfigReader& section)>& visit);

}  // namespace headroom
