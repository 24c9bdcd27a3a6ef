#include "panels/launch/variant_names.h"

#include <map>

#include "core/config/model_defaults.h"

namespace headroom {

const std::vector<std::string>& offered_variants() {
    return architectures();
}

static std::map<std::string, VariantName> make_names() {
    std::map<std::string, VariantName> names{
        {"gpt2", {"Baseline", "GPT-2 as nanoGPT trains it: every head has its own Q, K and V"}},
        {"wq_identity",
         {"W_Q = I", "No query projection: heads read slices of the normalised input"}},
        {"skipv1", {"SkipV1Former", "Above layer 1, a share of the value heads reads layer 1's"}},
        {"resformer", {"ResFormer", "Values are mixed with layer 1's"}},
        {"svformer", {"SVFormer", "All layers read layer 1's values"}},
        {"yoco", {"YOCO", "The upper half reads the keys and values of layer L/2"}},
        {"yoco_v", {"YOCO-V", "The upper half reads the values of layer L/2"}},
        {"cla", {"CLA", "Neighbouring layers share keys and values"}},
        {"cla_v", {"CLA-V", "Neighbouring layers share values"}},
        {"skipkv1", {"SkipKV1", "SkipV1Former for keys and values"}},
        {"skipv1_yoco", {"SkipV1-YOCO", "SkipV1Former's values, YOCO's keys"}},
        {"llama", {"LLaMA", "RMSNorm, rotary positions, SwiGLU"}},
        {"gqa", {"GQA", "Groups of query heads share a key and a value head"}},
        {"mqa", {"MQA", "All query heads share one key and one value head"}},
        {"skipv1_gqa", {"SkipV1-GQA", "SkipV1Former on grouped heads"}},
        {"mla", {"MLA", "Keys and values from a compressed latent"}},
        {"skipv1_mla", {"SkipV1-MLA", "Half of the latent from layer 1"}},
        {"denseformer", {"DenseFormer", "Block outputs are averaged with all earlier ones"}},
        {"skipless", {"Skipless", "No residual additions, no norms"}},
        {"parallel", {"Parallel", "Attention and MLP side by side"}},
        {"attn_skip_only", {"Attention skip only", "No residual around the MLP"}},
        {"no_norm", {"No norm", "Residuals without normalisation"}},
    };
    for (const std::string& arch : architectures()) names.try_emplace(arch, VariantName{arch, ""});
    return names;
}

const VariantName& variant_name(const std::string& arch) {
    static const std::map<std::string, VariantName> names = make_names();
    static const VariantName unknown{"", ""};
    const auto at = names.find(arch);
    return at == names.end() ? unknown : at->second;
}

}  // namespace headroom
