#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headroom {

/// A named model: the keys that differ from the defaults.
struct Preset {
    std::string name;
    std::string help;   ///< one line
    std::string model;  ///< JSON object of model keys
};

/// All presets, laptop sizes first. The order is the one that lists and forms show.
const std::vector<Preset>& presets();

/// The preset of this name, or nullptr.
const Preset* find_preset(std::string_view name);

}  // namespace headroom
