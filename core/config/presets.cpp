#include "core/config/presets.h"

namespace headroom {

// Published sizes: Karbevski & Mijoski, "W_K, W_V is probably all you need", table 2 (gpt2-124m and
// its rows), and Wu et al. (SkipV1Former), section 5 (200m to 550m, here with learned positions).
const std::vector<Preset>& presets() {
    static const std::vector<Preset> list{
        {"demo", "smallest model that learns readable text in a minute on a laptop",
         R"({"n_layer": 4, "n_head": 4, "d_model": 128, "block_size": 128})"},
        {"tiny", "6 layers of width 192; trains in minutes on a laptop",
         R"({"n_layer": 6, "n_head": 6, "d_model": 192, "block_size": 256})"},
        {"small", "6 layers of width 384, nanoGPT's model for one book",
         R"({"n_layer": 6, "n_head": 6, "d_model": 384, "block_size": 256})"},
        {"gpt2-124m", "GPT-2 as nanoGPT trains it, no biases, padded vocabulary",
         R"({"n_layer": 12, "n_head": 12, "d_model": 768, "block_size": 1024,
             "vocab_size": 50304})"},
        {"gpt2-124m-small-mlp", "gpt2-124m with the MLP reduced to 3.5 d_model",
         R"({"n_layer": 12, "n_head": 12, "d_model": 768, "d_ff": 2688, "block_size": 1024,
             "vocab_size": 50304})"},
        {"gpt2-124m-small-width", "gpt2-124m reduced to width 744, heads of 62",
         R"({"n_layer": 12, "n_head": 12, "d_model": 744, "block_size": 1024,
             "vocab_size": 50304})"},
        {"gpt2-124m-wq-identity", "gpt2-124m without query projections",
         R"({"arch": "wq_identity", "n_layer": 12, "n_head": 12, "d_model": 768,
             "block_size": 1024, "vocab_size": 50304})"},
        {"gpt2-124m-wq-identity-large-mlp",
         "gpt2-124m without query projections, MLP enlarged to the baseline's parameter count",
         R"({"arch": "wq_identity", "n_layer": 12, "n_head": 12, "d_model": 768, "d_ff": 3456,
             "block_size": 1024, "vocab_size": 50304})"},
        {"gpt2-124m-skipv1", "SkipV1Former of gpt2-124m: half of the value heads from layer 1",
         R"({"arch": "skipv1", "n_layer": 12, "n_head": 12, "d_model": 768, "block_size": 1024,
             "vocab_size": 50304})"},
        {"gpt2-200m", "12 layers of width 1024",
         R"({"n_layer": 12, "n_head": 16, "d_model": 1024, "block_size": 1024,
             "vocab_size": 50304})"},
        {"gpt2-355m", "24 layers of width 1024 (GPT-2 medium)",
         R"({"n_layer": 24, "n_head": 16, "d_model": 1024, "block_size": 1024,
             "vocab_size": 50304})"},
        {"gpt2-550m", "28 layers of width 1200, heads of 60",
         R"({"n_layer": 28, "n_head": 20, "d_model": 1200, "block_size": 1024,
             "vocab_size": 50304})"},
    };
    return list;
}

const Preset* find_preset(std::string_view name) {
    for (const Preset& preset : presets())
        if (preset.name == name) return &preset;
    return nullptr;
}

}  // namespace headroom
