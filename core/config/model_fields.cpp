#include <nlohmann/json.hpp>

#include "core/config/architectures.h"
#include "core/config/per_layer_binding.h"
#include "core/config/presets.h"

namespace headroom {
namespace {

constexpr char kModel[] = "Model";
constexpr char kBlock[] = "Block";

std::vector<std::string> architecture_names() {
    std::vector<std::string> names;
    for (const ArchitecturePreset& preset : architecture_presets()) names.push_back(preset.name);
    return names;
}

BoundField preset_field() {
    Field field{.path = "model.preset",
                .help = "Sizes to start from; the other keys change them",
                .type = FieldType::kChoice,
                .default_text = "none",
                .choices_text = "a name that `headroom presets` lists",
                .group = kModel,
                .input_only = true};
    for (const Preset& preset : presets()) field.choices.push_back(preset.name);
    return {std::move(field), [](const Job&) { return nlohmann::json(); },
            [](Job&, const nlohmann::json&) {}};
}

void add_kind(std::vector<BoundField>& fields) {
    fields.push_back(preset_field());
    fields.push_back(bind_model(&ModelConfig::arch, {.path = "model.arch",
                                                     .help = "Variant: fills the keys that define "
                                                             "it",
                                                     .choices = architecture_names(),
                                                     .group = kModel}));
    fields.push_back(bind_model(&ModelConfig::base,
                                {.path = "model.base",
                                 .help = "Family that fills the remaining defaults of the block",
                                 .default_text = "llama for llama, gqa, mqa, mla and their skipv1 "
                                                 "forms, else gpt2",
                                 .choices = {"gpt2", "llama"},
                                 .group = kModel}));
}

void add_sizes(std::vector<BoundField>& fields) {
    const auto size = [&](auto member, std::string key, std::string help, std::string unit,
                          double maximum, std::string default_text = "", bool advanced = false) {
        fields.push_back(bind_model(member, {.path = "model." + key,
                                             .help = std::move(help),
                                             .default_text = std::move(default_text),
                                             .unit = std::move(unit),
                                             .minimum = 1,
                                             .maximum = maximum,
                                             .group = kModel,
                                             .advanced = advanced}));
    };
    size(&ModelConfig::n_layer, "n_layer", "Decoder layers", "layers", 1024);
    size(&ModelConfig::n_head, "n_head", "Query heads per layer", "heads", 1024);
    size(&ModelConfig::n_kv_head, "n_kv_head",
         "Key/value heads per layer; divides n_head (GQA), 1 = MQA", "heads", 1024,
         "n_head; n_head / 2 for gqa, 1 for mqa");
    size(&ModelConfig::d_model, "d_model", "Width of the residual stream", "numbers", 1 << 17);
    size(&ModelConfig::d_head, "d_head", "Width of one head", "numbers", 1 << 17,
         "d_model / n_head", true);
    size(&ModelConfig::d_ff, "d_ff", "Hidden width of the MLP", "numbers", 1 << 20, "4 d_model",
         true);
    size(&ModelConfig::vocab_size, "vocab_size",
         "Token embeddings; 0 = as many as the data have, known when training starts", "tokens",
         1 << 24, "0; 50304 in a checkpoint's config", true);
    fields.back().field.minimum = 0;
    size(&ModelConfig::block_size, "block_size",
         "Longest sequence; rows of the position table for learned positions", "tokens", 1 << 20);
}

void add_norms_and_positions(std::vector<BoundField>& fields) {
    fields.push_back(bind_model(&ModelConfig::norm, {.path = "model.norm",
                                                     .help = "Norm in front of attention and MLP",
                                                     .default_text = "layernorm; llama: rmsnorm",
                                                     .group = kBlock,
                                                     .advanced = true}));
    fields.push_back(bind_model(&ModelConfig::norm_f, {.path = "model.norm_f",
                                                       .help = "Norm before the classifier",
                                                       .default_text = "norm",
                                                       .group = kBlock,
                                                       .advanced = true}));
    fields.push_back(
        bind_model(&ModelConfig::norm_eps, {.path = "model.norm_eps",
                                            .help = "Added to the variance in every norm",
                                            .default_text = "1e-5; llama: 1e-6",
                                            .minimum = 0,
                                            .maximum = 1,
                                            .open_minimum = true,
                                            .group = kBlock,
                                            .advanced = true}));
    fields.push_back(bind_model(&ModelConfig::pos, {.path = "model.pos",
                                                    .help = "How positions enter",
                                                    .default_text = "learned; llama: rope",
                                                    .group = kBlock,
                                                    .advanced = true}));
    fields.push_back(bind_model(&ModelConfig::rope_theta, {.path = "model.rope_theta",
                                                           .help = "Base of the rotary angles",
                                                           .minimum = 1,
                                                           .maximum = 1e12,
                                                           .open_minimum = true,
                                                           .group = kBlock,
                                                           .advanced = true}));
    fields.push_back(
        bind_model(&ModelConfig::rope_style, {.path = "model.rope_style",
                                              .help = "Which columns of a head form a rotary pair",
                                              .group = kBlock,
                                              .advanced = true}));
}

void add_mlp_and_skips(std::vector<BoundField>& fields) {
    fields.push_back(
        bind_per_layer(&ModelConfig::mlp, {.path = "model.mlp",
                                           .help = "Activation of the MLP; swiglu, geglu "
                                                   "and reglu are gated",
                                           .default_text = "gelu; llama: swiglu",
                                           .group = kBlock}));
    fields.push_back(
        bind_model(&ModelConfig::tie, {.path = "model.tie",
                                       .help = "The classifier is the transposed token embedding",
                                       .default_text = "true; llama: false",
                                       .group = kBlock,
                                       .advanced = true}));
    fields.push_back(
        bind_model(&ModelConfig::bias, {.path = "model.bias",
                                        .help = "Biases beside q, k, v, o, the MLP's matrices and "
                                                "every LayerNorm's gain, as in OpenAI's GPT-2",
                                        .default_text = "false",
                                        .group = kBlock,
                                        .advanced = true}));
    fields.push_back(bind_model(&ModelConfig::causal,
                                {.path = "model.causal",
                                 .help = "Positions see only what is before them; false = no mask, "
                                         "an encoder (next-token training then sees its answers)",
                                 .group = kBlock,
                                 .advanced = true}));
    fields.push_back(
        bind_model(&ModelConfig::topology, {.path = "model.topology",
                                            .help = "Attention then MLP, or both side by side",
                                            .group = kBlock,
                                            .advanced = true}));
    fields.push_back(bind_per_layer(
        &ModelConfig::skip_attn, {.path = "model.skip_attn",
                                  .help = "Residual connection around attention (around the block "
                                          "for parallel)",
                                  .default_text = "true; false for skipless and parallel",
                                  .group = kBlock,
                                  .advanced = true}));
    fields.push_back(bind_per_layer(&ModelConfig::skip_mlp,
                                    {.path = "model.skip_mlp",
                                     .help = "Residual connection around the MLP",
                                     .default_text = "true; false for skipless, attn_skip_only and "
                                                     "parallel",
                                     .group = kBlock,
                                     .advanced = true}));
    fields.push_back(
        bind_model(&ModelConfig::share_layers, {.path = "model.share_layers",
                                                .help = "All layers use the weights of the first",
                                                .group = kBlock,
                                                .advanced = true}));
    fields.push_back(bind_model(&ModelConfig::init_std,
                                {.path = "model.init_std",
                                 .help = "Standard deviation of initial matrices and embeddings; "
                                         "deep models without skips need about 1/sqrt(d_model)",
                                 .minimum = 0,
                                 .maximum = 10,
                                 .open_minimum = true,
                                 .group = kBlock,
                                 .advanced = true}));
    fields.push_back(bind_model(&ModelConfig::init_residual_scale,
                                {.path = "model.init_residual_scale",
                                 .help = "Initial W_O and W_down are divided by sqrt(2 n_layer)",
                                 .default_text = "true; llama: false",
                                 .group = kBlock,
                                 .advanced = true}));
}

}  // namespace

std::vector<BoundField> model_fields() {
    std::vector<BoundField> fields;
    add_kind(fields);
    add_sizes(fields);
    add_norms_and_positions(fields);
    add_mlp_and_skips(fields);
    const auto rotates = [](const Job& job) {
        return job.model.pos == Positions::kRope || (job.model.mla && job.model.mla->d_r > 0);
    };
    const auto divides = [](const Job& job) {
        const auto has_epsilon = [](NormKind kind) {
            return kind == NormKind::kLayerNorm || kind == NormKind::kRmsNorm;
        };
        return has_epsilon(job.model.norm) || has_epsilon(job.model.norm_f);
    };
    count_when(fields, {"rope_theta", "rope_style"}, {"pos = rope", rotates});
    count_when(fields, {"norm_eps"}, {"norm or norm_f = layernorm or rmsnorm", divides});
    set_concern(fields, {"arch", "base", "block_size"}, Concern::kLabel);
    set_concern(fields, {"init_std", "init_residual_scale"}, Concern::kStart);
    return fields;
}

}  // namespace headroom
