#include "core/config/architectures.h"

namespace headroom {

const std::vector<ArchitecturePreset>& architecture_presets() {
    static const std::vector<ArchitecturePreset> list{
        {"gpt2", "Baseline", "GPT-2 as nanoGPT trains it: every head has its own Q, K and V", "{}"},
        {"wq_identity", "W_Q = I", "No query projection: heads read slices of the normalised input",
         R"({"query": "identity"})"},
        {"skipv1", "SkipV1Former",
         "Above the first layer, a share of the value heads reads the first's",
         R"({"value_source": "skip"})"},
        {"resformer", "ResFormer", "Values are mixed with the first layer's",
         R"({"value_source": "res"})"},
        {"svformer", "SVFormer", "All layers read the first one's values",
         R"({"value_source": "sv"})"},
        {"yoco", "YOCO", "The upper half reads the keys and values of the lower half's last layer",
         R"({"value_source": "yoco", "key_source": "yoco"})"},
        {"yoco_v", "YOCO-V", "The upper half reads the values of the lower half's last layer",
         R"({"value_source": "yoco"})"},
        {"cla", "CLA", "Neighbouring layers share keys and values",
         R"({"value_source": "cla", "key_source": "cla"})"},
        {"cla_v", "CLA-V", "Neighbouring layers share values", R"({"value_source": "cla"})"},
        {"skipkv1", "SkipKV1", "SkipV1Former for keys and values",
         R"({"value_source": "skip", "key_source": "skip"})"},
        {"skipv1_yoco", "SkipV1-YOCO", "SkipV1Former's values, YOCO's keys",
         R"({"value_source": "skip", "key_source": "yoco"})"},
        {"llama", "LLaMA", "RMSNorm, rotary positions, SwiGLU", "{}", "llama"},
        {"gqa", "GQA", "Groups of query heads share a key and a value head", "{}", "llama", true},
        {"mqa", "MQA", "All query heads share one key and one value head", R"({"n_kv_head": 1})",
         "llama"},
        {"skipv1_gqa", "SkipV1-GQA", "SkipV1Former on grouped heads", R"({"value_source": "skip"})",
         "llama", true},
        {"mla", "MLA", "Keys and values from a compressed latent", R"({"mla": {}})", "llama"},
        {"skipv1_mla", "SkipV1-MLA", "Half of the latent from the first layer",
         R"({"mla": {}, "value_source": "skip"})", "llama"},
        {"denseformer", "DenseFormer", "Block outputs are averaged with all earlier ones",
         R"({"dense": true})"},
        {"skipless", "Skipless", "No residual additions, no norms",
         R"({"norm": "none", "norm_f": "none", "skip_attn": false, "skip_mlp": false})"},
        {"parallel", "Parallel", "Attention and MLP side by side, without skip or norm",
         R"({"topology": "parallel", "norm": "none", "skip_attn": false, "skip_mlp": false})"},
        {"attn_skip_only", "Attention skip only", "No residual around the MLP, no norms",
         R"({"norm": "none", "skip_mlp": false})"},
        {"no_norm", "No norm", "Residuals without normalisation", R"({"norm": "none"})"},
    };
    return list;
}

const ArchitecturePreset* find_architecture(std::string_view name) {
    for (const ArchitecturePreset& preset : architecture_presets())
        if (preset.name == name) return &preset;
    return nullptr;
}

}  // namespace headroom
