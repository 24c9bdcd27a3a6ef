#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headroom {

/// A named model: the keys that differ from the defaults.
struct Preset {
    std::string name;
    std::string help;    ///< one line
    std::string source;  ///< where its numbers come from
    std::string group;   ///< heading in lists
    std::string model;   ///< JSON object of model keys
};

/// All presets, laptop sizes first, those of a group together. The order is the one that lists and
/// forms show. A variant whose sizes are here but which is not is `--set model.arch=NAME` away: the
/// presets of LLaMA-like models name their base, so that it stays.
const std::vector<Preset>& presets();

/// The preset of this name, or nullptr.
const Preset* find_preset(std::string_view name);

}  // namespace headroom
