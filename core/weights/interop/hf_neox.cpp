#include "core/weights/interop/hf_neox.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/weights/interop/activation_names.h"
#include "core/weights/interop/rope_sections.h"

namespace headroom::hf_neox {
namespace {

constexpr auto kTransposed = Orientation::kTransposed;
constexpr auto kByHead = Sharing::kByHead;

void refuse_what_we_lack(const ConfigReader& config) {
    if (config.text("model_type").value_or("gpt_neox") != "gpt_neox")
        config.refuse("model_type", "is not gpt_neox", "give the right --format");
    if (config.has("quantization_config"))
        config.refuse("quantization_config", "means that the weights are packed",
                      "take the checkpoint in float or bfloat16");
}

std::string our_activation(const ConfigReader& config) {
    const std::string theirs = config.text("hidden_act").value_or("gelu");
    const std::string_view ours = our_spelling(kPlainActivations, theirs);
    if (!ours.empty()) return std::string(ours);
    config.refuse("hidden_act", "is no activation of headroom", kUseAnother);
}

/// Base of the angles and part of each head that turns: `rotary_emb_base` and `rotary_pct`, or in
/// newer files inside `rope_parameters`.
struct Rotation {
    double theta, part;
};

Rotation rotation_of(const ConfigReader& config) {
    Rotation found{config.number("rotary_emb_base").value_or(kRopeBase),
                   config.number("rotary_pct").value_or(0.25)};
    visit_rope_sections(config, [&](const char*, const ConfigReader& rope) {
        found.theta = rope.number("rope_theta").value_or(found.theta);
        found.part = rope.number("partial_rotary_factor").value_or(found.part);
    });
    if (!(found.part >= 0 && found.part <= 1))
        config.refuse("rotary_pct", "is no part of a head", "give a number from 0 to 1");
    return found;
}

/// Rotated columns are a part of the width of a head, which no tensor tells.
void set_positions(const ConfigReader& config, nlohmann::json& keys) {
    const int64_t width = config.whole("hidden_size").value_or(0);
    const int64_t n_head = config.whole("num_attention_heads").value_or(0);
    if (width <= 0 || n_head <= 0)
        throw UserError(fmt::format("{}: hidden_size and num_attention_heads, of which the rotated "
                                    "part of a head follows, are not there",
                                    config.source()),
                        "put the config.json of the checkpoint beside it, or give it by --config");
    const Rotation rotation = rotation_of(config);
    const int64_t d_head = width / n_head;
    const auto rotated = static_cast<int64_t>(static_cast<double>(d_head) * rotation.part);
    keys["rope_theta"] = rotation.theta;
    keys["pos"] = rotated > 0 ? "rope" : "none";
    if (rotated > 0) keys["rope_dim"] = rotated;
}

Translation translate(const ConfigReader& config) {
    refuse_what_we_lack(config);
    Translation result;
    nlohmann::json& keys = *result.keys;
    const auto copy = [&](const char* theirs, const char* ours) {
        if (const auto value = config.whole(theirs)) keys[ours] = *value;
    };
    copy("num_hidden_layers", "n_layer");
    copy("num_attention_heads", "n_head");
    copy("hidden_size", "d_model");
    copy("intermediate_size", "d_ff");
    copy("vocab_size", "vocab_size");
    copy("max_position_embeddings", "block_size");
    keys["norm_eps"] = config.number("layer_norm_eps").value_or(1e-5);
    keys["mlp"] = our_activation(config);
    keys["tie"] = config.flag("tie_word_embeddings").value_or(false);
    keys["topology"] = config.flag("use_parallel_residual").value_or(true) ? "parallel" : "serial";
    keys["parallel_norm"] = "separate";
    keys["bias"] = true;
    if (!config.flag("attention_bias").value_or(true))
        for (const char* name : {"q", "k", "v", "o"})
            result.zero.insert(fmt::format("h.{{i}}.attn.{}.bias", name));
    set_positions(config, keys);
    return result;
}

/// A part of d_head that gives back rope_dim when it is multiplied and cut to a whole number.
double rotated_part(const ModelConfig& model) {
    if (model.pos != Positions::kRope) return 0;
    const auto width = static_cast<double>(model.d_head),
               rotated = static_cast<double>(model.rope_dim);
    const double part = rotated / width;
    return part * width < rotated ? std::nextafter(part, 1.0) : part;
}

nlohmann::ordered_json config_of(const ModelConfig& model) {
    const double part = rotated_part(model);
    nlohmann::ordered_json config{{"architectures", {"GPTNeoXForCausalLM"}},
                                  {"model_type", "gpt_neox"},
                                  {"vocab_size", model.vocab_size},
                                  {"hidden_size", model.d_model},
                                  {"intermediate_size", model.d_ff},
                                  {"num_hidden_layers", model.n_layer},
                                  {"num_attention_heads", model.n_head},
                                  {"max_position_embeddings", model.block_size},
                                  {"layer_norm_eps", model.norm_eps},
                                  {"rotary_pct", part},
                                  {"rotary_emb_base", model.rope_theta},
                                  {"use_parallel_residual", model.topology == Topology::kParallel},
                                  {"attention_bias", true},
                                  {"tie_word_embeddings", model.tie}};
    const std::string_view activation = their_name(kPlainActivations, model.mlp.at(0));
    if (!activation.empty()) config["hidden_act"] = activation;
    config["rope_parameters"] = {{"rope_type", "default"},
                                 {"rope_theta", model.rope_theta},
                                 {"partial_rotary_factor", part}};
    for (const char* key : {"attention_dropout", "hidden_dropout", "classifier_dropout"})
        config[key] = 0.0;
    for (const char* key : {"bos_token_id", "eos_token_id"}) config[key] = nullptr;
    return config;
}

std::vector<NameRow> rows() {
    return {
        {"wte.weight", "embed_in.weight"},
        {"h.{i}.ln_1.weight", "layers.{i}.input_layernorm.weight"},
        {"h.{i}.ln_1.bias", "layers.{i}.input_layernorm.bias"},
        {"h.{i}.attn.q.weight", "layers.{i}.attention.query_key_value.weight", kTransposed,
         kByHead},
        {"h.{i}.attn.k.weight", "layers.{i}.attention.query_key_value.weight", kTransposed,
         kByHead},
        {"h.{i}.attn.v.weight", "layers.{i}.attention.query_key_value.weight", kTransposed,
         kByHead},
        {"h.{i}.attn.q.bias", "layers.{i}.attention.query_key_value.bias", Orientation::kSame,
         kByHead},
        {"h.{i}.attn.k.bias", "layers.{i}.attention.query_key_value.bias", Orientation::kSame,
         kByHead},
        {"h.{i}.attn.v.bias", "layers.{i}.attention.query_key_value.bias", Orientation::kSame,
         kByHead},
        {"h.{i}.attn.o.weight", "layers.{i}.attention.dense.weight", kTransposed},
        {"h.{i}.attn.o.bias", "layers.{i}.attention.dense.bias"},
        {"h.{i}.ln_2.weight", "layers.{i}.post_attention_layernorm.weight"},
        {"h.{i}.ln_2.bias", "layers.{i}.post_attention_layernorm.bias"},
        {"h.{i}.mlp.up.weight", "layers.{i}.mlp.dense_h_to_4h.weight", kTransposed},
        {"h.{i}.mlp.up.bias", "layers.{i}.mlp.dense_h_to_4h.bias"},
        {"h.{i}.mlp.down.weight", "layers.{i}.mlp.dense_4h_to_h.weight", kTransposed},
        {"h.{i}.mlp.down.bias", "layers.{i}.mlp.dense_4h_to_h.bias"},
        {"ln_f.weight", "final_layer_norm.weight"},
        {"ln_f.bias", "final_layer_norm.bias"},
        {"lm_head.weight", "embed_out.weight", kTransposed},
    };
}

}  // namespace

Layout layout() {
    Layout layout;
    layout.name = "hf-neox";
    layout.title = "Hugging Face GPT-NeoX";
    layout.prefix = "gpt_neox.";
    layout.head = "embed_out.weight";
    layout.rows = rows();
    layout.ignored = {"layers.{i}.attention.bias", "layers.{i}.attention.masked_bias",
                      "layers.{i}.attention.rotary_emb.inv_freq", "rotary_emb.inv_freq"};
    layout.translate = translate;
    layout.config_of = config_of;
    return layout;
}

}  // namespace headroom::hf_neox
