#include "core/config/presets.h"

#include "core/config/preset_list.h"

namespace headroom {

const std::vector<Preset>& presets() {
    static const std::vector<Preset> list = [] {
        std::vector<Preset> all;
        for (const auto& part :
             {laptop_presets(), query_presets(), gpt2_presets(), llama_presets(), grouped_presets(),
              skipless_presets(), pythia_presets(), image_presets()})
            all.insert(all.end(), part.begin(), part.end());
        return all;
    }();
    return list;
}

const Preset* find_preset(std::string_view name) {
    for (const Preset& preset : presets())
        if (preset.name == name) return &preset;
    return nullptr;
}

}  // namespace headroom
