#include "core/weights/interop/hf_gpt2.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "core/weights/interop/activation_names.h"
#include "core/weights/interop/nanogpt.h"

namespace headroom::hf_gpt2 {
namespace {

std::string our_activation(const ConfigReader& config) {
    const std::string theirs = config.text("activation_function").value_or("gelu_new");
    const std::string_view ours = our_spelling(kPlainActivations, theirs);
    if (!ours.empty()) return std::string(ours);
    config.refuse("activation_function", "is no activation of headroom", kUseAnother);
}

void refuse_what_we_lack(const ConfigReader& config) {
    if (config.text("model_type").value_or("gpt2") != "gpt2")
        config.refuse("model_type", "is not gpt2", "give the right --format");
    for (const char* key : {"scale_attn_by_inverse_layer_idx", "add_cross_attention"})
        if (config.flag(key).value_or(false))
            config.refuse(key, "changes what the model computes", kUseAnother);
    if (config.has("quantization_config"))
        config.refuse("quantization_config", "means that the weights are packed",
                      "take the checkpoint in float or bfloat16");
}

Translation translate(const ConfigReader& config) {
    refuse_what_we_lack(config);
    Translation result;
    nlohmann::json& keys = *result.keys;
    const auto copy = [&](const char* theirs, const char* ours) {
        if (const auto value = config.whole(theirs)) keys[ours] = *value;
    };
    copy("n_layer", "n_layer");
    copy("n_head", "n_head");
    copy("n_embd", "d_model");
    copy("n_inner", "d_ff");
    copy("vocab_size", "vocab_size");
    copy("n_ctx", "block_size");
    copy("n_positions", "block_size");
    keys["norm_eps"] = config.number("layer_norm_epsilon").value_or(1e-5);
    keys["mlp"] = our_activation(config);
    keys["tie"] = config.flag("tie_word_embeddings").value_or(true);
    keys["bias"] = true;
    if (!config.flag("scale_attn_weights").value_or(true)) keys["attn_scale"] = 1.0;
    return result;
}

nlohmann::ordered_json config_of(const ModelConfig& model) {
    nlohmann::ordered_json config{{"architectures", {"GPT2LMHeadModel"}},
                                  {"model_type", "gpt2"},
                                  {"vocab_size", model.vocab_size},
                                  {"n_positions", model.block_size},
                                  {"n_ctx", model.block_size},
                                  {"n_embd", model.d_model},
                                  {"n_layer", model.n_layer},
                                  {"n_head", model.n_head},
                                  {"n_inner", model.d_ff},
                                  {"layer_norm_epsilon", model.norm_eps},
                                  {"scale_attn_weights", model.attn_scale != 1.0},
                                  {"tie_word_embeddings", model.tie}};
    const std::string_view activation = their_name(kPlainActivations, model.mlp.at(0));
    if (!activation.empty()) config["activation_function"] = activation;
    for (const char* key : {"resid_pdrop", "embd_pdrop", "attn_pdrop"}) config[key] = 0.0;
    for (const char* key : {"bos_token_id", "eos_token_id"}) config[key] = nullptr;
    return config;
}

}  // namespace

Layout layout() {
    // nanoGPT took the names from here, but stores Linear where this is Conv1D.
    Layout layout = nanogpt::layout();
    layout.name = "hf-gpt2";
    layout.title = "Hugging Face GPT-2";
    layout.is_folder = true;
    for (NameRow& row : layout.rows)
        if (row.ours != "lm_head.weight") row.orientation = Orientation::kSame;
    layout.ignored = {"h.{i}.attn.bias", "h.{i}.attn.masked_bias"};
    layout.translate = translate;
    layout.config_of = config_of;
    return layout;
}

}  // namespace headroom::hf_gpt2
