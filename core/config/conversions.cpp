#include "core/config/conversions.h"

#include <array>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/nearest.h"

namespace headroom {
namespace {

constexpr std::array kConversions{
    Conversion{"mean_v", "Mean V", "skipv1"},
    Conversion{"mean_vo", "Mean VO", "skipv1"},
    Conversion{"top_v", "Top V", "skipv1"},
    Conversion{"top_vo", "Top VO", "skipv1"},
    Conversion{"svd", "SVD", "skipv1"},
    Conversion{"mean_kv", "Mean K and V", "gqa"},
    Conversion{"freeze_norms", "Frozen norms", ""},
    Conversion{kRewire, "Rewired", ""},
};

}  // namespace

std::span<const Conversion> conversions() {
    return kConversions;
}

const Conversion& find_conversion(std::string_view name) {
    std::vector<std::string> known;
    for (const Conversion& conversion : kConversions) {
        if (conversion.name == name) return conversion;
        known.emplace_back(conversion.name);
    }
    throw UserError(fmt::format("unknown conversion \"{}\"{}", name, suggestion(name, known)));
}

const Conversion& find_wiring_conversion(std::string_view name) {
    std::vector<std::string> known;
    for (const Conversion& conversion : kConversions) {
        if (conversion.name != kRewire && conversion.target.empty()) continue;
        if (conversion.name == name) return conversion;
        known.emplace_back(conversion.name);
    }
    throw UserError(
        fmt::format("\"{}\" is no conversion to another wiring{}", name, suggestion(name, known)));
}

std::vector<std::string> conversions_to(std::string_view target) {
    std::vector<std::string> names;
    for (const Conversion& conversion : kConversions)
        if (conversion.target == target) names.emplace_back(conversion.name);
    return names;
}

}  // namespace headroom
