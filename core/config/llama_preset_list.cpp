#include <string>

#include "core/config/preset_list.h"

namespace headroom {
namespace {

constexpr char kLlama[] = "LLaMA and SkipV1Former";
constexpr char kTable4[] = "Wu et al., table 4; vocabulary of T5, untied, as GaLore builds it";
constexpr char kGalore7b[] = "Wu et al., figure 7; sizes of GaLore's configs/llama_7b.json";
constexpr char kTinyLlama[] =
    "Wu et al., table 6; TinyLlama's own config.json: 4 key/value heads, where the paper's "
    "\"shared "
    "across four heads\" would be 8";
constexpr char kGrouped[] = "Grouped and latent attention, SkipV1Former";
constexpr char kSkipV1Table2[] =
    "Wu et al., table 2; llm-baselines' LLaMA, whose 334.7M parameters follow, not those of the "
    "text's d_ff";
constexpr char kSkipless[] = "Without skips and norms";
constexpr char kGraef[] = "Graef, section 3; for counting";

/// A model of GaLore's LLaMA and its SkipV1Former.
void add_llama(std::vector<Preset>& list, const std::string& name, const std::string& help,
               const char* source, const std::string& sizes) {
    const std::string rest = R"("base": "llama", "vocab_size": 32000, )" + sizes + "}";
    list.push_back({"llama-" + name, help, source, kLlama, R"({"arch": "llama", )" + rest});
    list.push_back({"llama-" + name + "-skipv1", "its SkipV1Former", source, kLlama,
                    R"({"arch": "skipv1", )" + rest});
}

}  // namespace

std::vector<Preset> llama_presets() {
    std::vector<Preset> list;
    add_llama(list, "60m", "8 layers of width 512", kTable4,
              R"("n_layer": 8, "n_head": 8, "d_model": 512, "d_ff": 1376, "block_size": 1024)");
    add_llama(list, "130m", "12 layers of width 768", kTable4,
              R"("n_layer": 12, "n_head": 12, "d_model": 768, "d_ff": 2048, "block_size": 1024)");
    add_llama(list, "350m", "24 layers of width 1024", kTable4,
              R"("n_layer": 24, "n_head": 16, "d_model": 1024, "d_ff": 2736, "block_size": 1024)");
    add_llama(list, "1.3b", "24 layers of width 2048", kTable4,
              R"("n_layer": 24, "n_head": 32, "d_model": 2048, "d_ff": 5461, "block_size": 1024)");
    add_llama(list, "3b", "32 layers of width 2560, heads of 80", kTable4,
              R"("n_layer": 32, "n_head": 32, "d_model": 2560, "d_ff": 6848, "block_size": 1024)");
    add_llama(list, "7b", "32 layers of width 4096", kGalore7b,
              R"("n_layer": 32, "n_head": 32, "d_model": 4096, "d_ff": 11008, "block_size": 2048)");
    const std::string tinyllama =
        R"("base": "llama", "n_layer": 22, "n_head": 32, "n_kv_head": 4, "d_model": 2048,
           "d_ff": 5632, "norm_eps": 1e-5, "block_size": 2048, "vocab_size": 32000})";
    list.push_back({"tinyllama-1.1b", "22 layers of width 2048, 4 key/value heads", kTinyLlama,
                    kLlama, R"({"arch": "gqa", )" + tinyllama});
    list.push_back({"tinyllama-1.1b-skipv1", "its SkipV1Former", kTinyLlama, kLlama,
                    R"({"arch": "skipv1_gqa", )" + tinyllama});
    return list;
}

std::vector<Preset> grouped_presets() {
    const std::string sizes =
        R"("base": "llama", "n_layer": 24, "n_head": 16, "d_model": 1024, "d_ff": 2816,
           "block_size": 1024, "vocab_size": 50304, "tie": true, "norm_eps": 1e-5,
           "rope_style": "interleaved", "init_residual_scale": true})";
    const auto preset = [&](const std::string& name, const std::string& arch, const char* help) {
        return Preset{"llama-355m-" + name, help, kSkipV1Table2, kGrouped,
                      R"({"arch": ")" + arch + R"(", )" + sizes};
    };
    return {
        preset("gqa", "gqa", "24 layers of width 1024, 8 key/value heads for 16"),
        preset("skipv1-gqa", "skipv1_gqa", "half of the 8 value heads from the first layer"),
        preset("mla", "mla", "latent of 256 and rotary key of 32"),
        preset("skipv1-mla", "skipv1_mla", "half of the latent from the first layer"),
    };
}

std::vector<Preset> skipless_presets() {
    const std::string pythia =
        R"({"arch": "parallel", "n_layer": 32, "n_head": 32, "d_model": 4096, "pos": "rope",
            "tie": false, "block_size": 2048, "vocab_size": 50400)";
    const std::string mistral =
        R"({"arch": "skipless", "base": "llama", "n_layer": 32, "n_head": 32, "n_kv_head": 8,
            "d_model": 4096, "d_ff": 14336, "block_size": 8192, "vocab_size": 32000)";
    const std::string reduced = R"(, "query": "identity", "out_proj": "identity"})";
    return {
        {"pythia-6.9b-skipless", "parallel blocks of width 4096", kGraef, kSkipless, pythia + "}"},
        {"pythia-6.9b-skipless-reduced",
         "without W_Q and W_O: a model to train, no conversion of the other", kGraef, kSkipless,
         pythia + reduced},
        {"mistral-7b-skipless", "serial blocks of width 4096, 8 key/value heads", kGraef, kSkipless,
         mistral + "}"},
        // What was merged keeps the scores of figure 1 (a), and so their scale, 1 / sqrt(d_head).
        {"mistral-7b-skipless-reduced", "without W_Q and W_O, merged into the MLPs", kGraef,
         kSkipless, mistral + R"(, "attn_scale": 0.08838834764831843)" + reduced},
    };
}

}  // namespace headroom
