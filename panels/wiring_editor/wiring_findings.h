#pragma once

#include <memory>
#include <string>

#include "panels/wiring_editor/ablation_map.h"
#include "panels/wiring_editor/rewire_map.h"
#include "panels/wiring_editor/sharing_order.h"

namespace headroom {

/// What probes measured of one trained run; null where they did not.
struct WiringFindings {
    std::string run;  ///< its name; "" where there is no trained run
    std::shared_ptr<const RewireMap> rewire;
    std::shared_ptr<const AblationMap> ablation;
    std::shared_ptr<const SharingOrder> sharing;
    std::string problem;  ///< one line where a file cannot be read, else ""
};

/// The probes that are looked for: what `headroom probe` calls them.
inline constexpr const char* kRewireProbe = "rewire";
inline constexpr const char* kAblationProbe = "ablation";
inline constexpr const char* kSharingProbe = "sharing";

}  // namespace headroom
