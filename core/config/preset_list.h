#pragma once

#include <vector>

#include "core/config/presets.h"

/// Private to core/config: the presets by group.
namespace headroom {

std::vector<Preset> laptop_presets();
/// Karbevski & Mijoski, "W_K, W_V is probably all you need", table 2.
std::vector<Preset> query_presets();
/// Wu et al. (SkipV1Former), table 3, and OpenAI's own sizes.
std::vector<Preset> gpt2_presets();
/// Wu et al., tables 4 and 6, and figure 7's largest.
std::vector<Preset> llama_presets();
/// Wu et al., table 2.
std::vector<Preset> grouped_presets();
/// Graef, "Transformer tricks: removing weights for skipless transformers", section 3.
std::vector<Preset> skipless_presets();
/// Biderman et al. 2023 (Pythia), arXiv:2304.01373, table 1.
std::vector<Preset> pythia_presets();
/// Wu et al., appendix C.6.
std::vector<Preset> image_presets();

}  // namespace headroom
