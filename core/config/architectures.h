#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headroom {

/// A value of model.arch: the keys that make a variant of a base, and how the studio calls it.
/// A variant that only recombines what the keys can say is one more entry of the list in
/// architectures.cpp.
struct ArchitecturePreset {
    std::string name;
    std::string title;
    std::string help;  ///< one line: what it changes
    std::string keys;  ///< JSON object of model keys
    std::string base = "gpt2";
    bool halves_kv_heads = false;  ///< n_kv_head = n_head / 2 unless a size preset says otherwise
};

/// All of them, those of the first study first.
const std::vector<ArchitecturePreset>& architecture_presets();

/// The preset of this name, or nullptr.
const ArchitecturePreset* find_architecture(std::string_view name);

}  // namespace headroom
