#include "core/weights/interop/hf_llama.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/weights/interop/activation_names.h"
#include "core/weights/interop/rope_sections.h"

namespace headroom::hf_llama {
namespace {

constexpr auto kTransposed = Orientation::kTransposed;

constexpr ActivationName kActivations[] = {
    {"silu", MlpKind::kSwiglu},
    {"swish", MlpKind::kSwiglu},
    {"gelu", MlpKind::kGeglu},
    {"relu", MlpKind::kReglu},
};

std::string our_activation(const ConfigReader& config) {
    const std::string theirs = config.text("hidden_act").value_or("silu");
    const std::string_view ours = our_spelling(kActivations, theirs);
    if (!ours.empty()) return std::string(ours);
    config.refuse("hidden_act", "is no gated activation of headroom", kUseAnother);
}

std::string model_type(const ConfigReader& config) {
    std::string type = config.text("model_type").value_or("llama");
    for (const char* known : {"llama", "mistral", "qwen2", "qwen3"})
        if (type == known) return type;
    config.refuse("model_type", "is none of llama, mistral, qwen2 and qwen3", kUseAnother);
}

/// The base of the rotary angles: `rope_theta`, or in newer files inside `rope_parameters`.
double rope_theta(const ConfigReader& config) {
    double theta = config.number("rope_theta").value_or(kRopeBase);
    visit_rope_sections(config, [&](const char* key, const ConfigReader& rope) {
        theta = rope.number("rope_theta").value_or(theta);
        if (rope.number("partial_rotary_factor").value_or(1.0) != 1.0)
            config.refuse(key, "rotates only a part of each head", kUseAnother);
    });
    if (config.number("partial_rotary_factor").value_or(1.0) != 1.0)
        config.refuse("partial_rotary_factor", "rotates only a part of each head", kUseAnother);
    return theta;
}

/// A sliding window hides nothing from sequences that fit into it.
void limit_to_window(const ConfigReader& config, const std::string& type, Translation& result) {
    const bool in_use = type == "mistral" || config.flag("use_sliding_window").value_or(false);
    if (!in_use) return;
    const bool is_named = config.document().contains("sliding_window");
    const std::optional<int64_t> window = config.whole("sliding_window");
    if (is_named && !window) return;  // null: no window
    result.longest = window.value_or(4096);
    result.longest_because =
        fmt::format("its sliding window of {} tokens is not computed here", result.longest);
}

void set_biases(const ConfigReader& config, const std::string& type, Translation& result) {
    const bool attention = config.flag("attention_bias").value_or(false), qkv = type == "qwen2";
    const bool mlp = config.flag("mlp_bias").value_or(false);
    (*result.keys)["bias"] = attention || qkv || mlp;
    const auto zero = [&](bool is_there, std::initializer_list<const char*> names) {
        if (is_there) return;
        for (const char* name : names) result.zero.insert(fmt::format("h.{{i}}.{}.bias", name));
    };
    zero(attention || qkv, {"attn.q", "attn.k", "attn.v"});
    zero(attention, {"attn.o"});
    zero(mlp, {"mlp.gate", "mlp.up", "mlp.down"});
}

Translation translate(const ConfigReader& config) {
    Translation result;
    const std::string type = model_type(config);
    if (config.has("quantization_config"))
        config.refuse("quantization_config", "means that the weights are packed",
                      "take the checkpoint in float or bfloat16");
    nlohmann::json& keys = *result.keys;
    keys["arch"] = "llama";
    const auto copy = [&](const char* theirs, const char* ours) {
        if (const auto value = config.whole(theirs)) keys[ours] = *value;
    };
    copy("num_hidden_layers", "n_layer");
    copy("num_attention_heads", "n_head");
    copy("num_key_value_heads", "n_kv_head");
    copy("head_dim", "d_head");
    copy("hidden_size", "d_model");
    copy("intermediate_size", "d_ff");
    copy("vocab_size", "vocab_size");
    copy("max_position_embeddings", "block_size");
    keys["norm_eps"] = config.number("rms_norm_eps").value_or(1e-6);
    keys["rope_theta"] = rope_theta(config);
    keys["mlp"] = our_activation(config);
    keys["tie"] = config.flag("tie_word_embeddings").value_or(false);
    if (type == "qwen3") keys.update({{"qk_norm", true}, {"qk_norm_eps", keys["norm_eps"]}});
    set_biases(config, type, result);
    limit_to_window(config, type, result);
    return result;
}

nlohmann::ordered_json config_of(const ModelConfig& model) {
    if (model.d_model % model.n_head != 0)
        throw UserError(fmt::format("model.n_head = {} does not divide model.d_model = {}, which "
                                    "Hugging Face's Llama asks for",
                                    model.n_head, model.d_model),
                        "keep it as a checkpoint of headroom");
    nlohmann::ordered_json config{{"architectures", {"LlamaForCausalLM"}},
                                  {"model_type", "llama"},
                                  {"vocab_size", model.vocab_size},
                                  {"hidden_size", model.d_model},
                                  {"intermediate_size", model.d_ff},
                                  {"num_hidden_layers", model.n_layer},
                                  {"num_attention_heads", model.n_head},
                                  {"num_key_value_heads", model.n_kv_head},
                                  {"head_dim", model.d_head},
                                  {"max_position_embeddings", model.block_size},
                                  {"rms_norm_eps", model.norm_eps},
                                  {"rope_theta", model.rope_theta},
                                  {"tie_word_embeddings", model.tie},
                                  {"attention_bias", model.bias},
                                  {"mlp_bias", model.bias},
                                  {"attention_dropout", 0.0}};
    const std::string_view activation = their_name(kActivations, model.mlp.at(0));
    if (!activation.empty()) config["hidden_act"] = activation;
    config["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", model.rope_theta}};
    for (const char* key : {"bos_token_id", "eos_token_id"}) config[key] = nullptr;
    return config;
}

std::vector<NameRow> rows() {
    return {
        {"wte.weight", "embed_tokens.weight"},
        {"h.{i}.ln_1.weight", "layers.{i}.input_layernorm.weight"},
        {"h.{i}.attn.q.weight", "layers.{i}.self_attn.q_proj.weight", kTransposed},
        {"h.{i}.attn.k.weight", "layers.{i}.self_attn.k_proj.weight", kTransposed},
        {"h.{i}.attn.v.weight", "layers.{i}.self_attn.v_proj.weight", kTransposed},
        {"h.{i}.attn.o.weight", "layers.{i}.self_attn.o_proj.weight", kTransposed},
        {"h.{i}.attn.q.bias", "layers.{i}.self_attn.q_proj.bias"},
        {"h.{i}.attn.k.bias", "layers.{i}.self_attn.k_proj.bias"},
        {"h.{i}.attn.v.bias", "layers.{i}.self_attn.v_proj.bias"},
        {"h.{i}.attn.o.bias", "layers.{i}.self_attn.o_proj.bias"},
        {"h.{i}.attn.q_norm.weight", "layers.{i}.self_attn.q_norm.weight"},
        {"h.{i}.attn.k_norm.weight", "layers.{i}.self_attn.k_norm.weight"},
        {"h.{i}.ln_2.weight", "layers.{i}.post_attention_layernorm.weight"},
        {"h.{i}.mlp.gate.weight", "layers.{i}.mlp.gate_proj.weight", kTransposed},
        {"h.{i}.mlp.up.weight", "layers.{i}.mlp.up_proj.weight", kTransposed},
        {"h.{i}.mlp.down.weight", "layers.{i}.mlp.down_proj.weight", kTransposed},
        {"h.{i}.mlp.gate.bias", "layers.{i}.mlp.gate_proj.bias"},
        {"h.{i}.mlp.up.bias", "layers.{i}.mlp.up_proj.bias"},
        {"h.{i}.mlp.down.bias", "layers.{i}.mlp.down_proj.bias"},
        {"ln_f.weight", "norm.weight"},
        {"lm_head.weight", "lm_head.weight", kTransposed},
    };
}

}  // namespace

Layout layout() {
    Layout layout;
    layout.name = "hf-llama";
    layout.title = "Hugging Face Llama";
    layout.prefix = "model.";
    layout.rows = rows();
    layout.ignored = {"layers.{i}.self_attn.rotary_emb.inv_freq", "rotary_emb.inv_freq"};
    layout.translate = translate;
    layout.config_of = config_of;
    return layout;
}

}  // namespace headroom::hf_llama
