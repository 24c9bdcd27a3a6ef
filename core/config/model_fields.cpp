#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/key_error.h"
#include "core/config/architectures.h"
#include "core/config/per_layer_binding.h"
#include "core/config/presets.h"

namespace headroom {
namespace {

using nlohmann::json;

constexpr char kModel[] = "Model";
constexpr char kBlock[] = "Block";
constexpr int64_t kLargestMlp = 1 << 20;

bool reads_images(OpenKeys& keys) {
    return keys.at("input") == "images";
}

const ArchitecturePreset& architecture_of(OpenKeys& keys) {
    const ArchitecturePreset* found = find_architecture(keys.at("arch").get<std::string>());
    CHECK(found != nullptr, "the name was checked as a choice");
    return *found;
}

/// Half of the heads for a grouped architecture.
json default_kv_heads(OpenKeys& keys) {
    const int64_t n_head = keys.whole("n_head");
    return architecture_of(keys).halves_kv_heads ? std::max<int64_t>(1, n_head / 2) : n_head;
}

std::string nearest_head_counts(int64_t d_model, int64_t n_head) {
    int64_t below = std::min(n_head, d_model);
    while (below > 1 && d_model % below != 0) --below;
    int64_t above = n_head;
    while (above < d_model && d_model % above != 0) ++above;
    if (above > d_model || below == above) return fmt::format("{}", below);
    return fmt::format("{} or {}", below, above);
}

json default_d_head(OpenKeys& keys) {
    const int64_t d_model = keys.whole("d_model"), n_head = keys.whole("n_head");
    if (d_model % n_head != 0)
        throw KeyError(UserError(fmt::format("model.n_head = {} does not divide model.d_model = {}",
                                             n_head, d_model),
                                 fmt::format("take {} heads, another width, or give model.d_head",
                                             nearest_head_counts(d_model, n_head))),
                       {"model.n_head", "model.d_model"});
    return d_model / n_head;
}

json default_block_size(OpenKeys& keys) {
    if (!reads_images(keys)) return ModelConfig{}.block_size;
    ModelConfig model;
    model.input = InputKind::kImages;
    model.image_size = keys.whole("image_size");
    model.patch_size = keys.whole("patch_size");
    model.pooling = decoded<Pooling>(keys.at("pooling"));
    return model.n_position();
}

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
    fields.push_back(
        with_default(bind_model(&ModelConfig::base,
                                {.path = "model.base",
                                 .help = "Family that fills the remaining defaults of the block",
                                 .choices = {"gpt2", "llama"},
                                 .group = kModel}),
                     "llama for llama, gqa, mqa, mla and their skipv1 forms, else gpt2",
                     [](OpenKeys& keys) { return architecture_of(keys).base; }));
}

void add_sizes(std::vector<BoundField>& fields) {
    const auto size = [&](auto member, const std::string& key, const std::string& help,
                          const std::string& unit, double maximum, bool advanced = false) {
        fields.push_back(bind_model(member, {.path = "model." + key,
                                             .help = help,
                                             .unit = unit,
                                             .minimum = 1,
                                             .maximum = maximum,
                                             .group = kModel,
                                             .advanced = advanced}));
    };
    const auto follow = [&](std::string text, Default standard) {
        fields.back() =
            with_default(std::move(fields.back()), std::move(text), std::move(standard));
    };
    size(&ModelConfig::n_layer, "n_layer", "Decoder layers", "layers", 1024);
    size(&ModelConfig::n_head, "n_head", "Query heads per layer", "heads", 1024);
    size(&ModelConfig::n_kv_head, "n_kv_head",
         "Key/value heads per layer; divides n_head (GQA), 1 = MQA", "heads", 1024);
    follow("n_head; n_head / 2 for gqa, 1 for mqa", default_kv_heads);
    size(&ModelConfig::d_model, "d_model", "Width of the residual stream", "numbers", 1 << 17);
    size(&ModelConfig::d_head, "d_head", "Width of one head", "numbers", 1 << 17, true);
    follow("d_model / n_head", default_d_head);
    size(&ModelConfig::d_ff, "d_ff", "Hidden width of the MLP", "numbers", kLargestMlp, true);
    follow("4 d_model", [](OpenKeys& keys) {
        return json(std::min<int64_t>(4 * keys.whole("d_model"), kLargestMlp));
    });
    size(
        &ModelConfig::vocab_size, "vocab_size",
        "Token embeddings, or classes of images; 0 = as many as the data have, known when training "
        "starts",
        "tokens or classes", 1 << 24, true);
    fields.back().field.minimum = 0;
    follow(fmt::format("0; {} in a checkpoint's config", ModelConfig{}.vocab_size),
           [](OpenKeys& keys) {
               return json(keys.use() == KeysOf::kJob ? 0 : ModelConfig{}.vocab_size);
           });
    size(&ModelConfig::block_size, "block_size",
         "Longest sequence; rows of the position table for learned positions", "tokens",
         kMostPositions);
    follow(fmt::format("{}; of images their positions", ModelConfig{}.block_size),
           default_block_size);
}

void add_norms_and_positions(std::vector<BoundField>& fields) {
    fields.push_back(
        by_base(bind_per_layer(&ModelConfig::norm, {.path = "model.norm",
                                                    .help = "Norm in front of attention and MLP",
                                                    .group = kBlock,
                                                    .advanced = true}),
                "layernorm", "rmsnorm"));
    fields.push_back(
        with_default(bind_model(&ModelConfig::norm_f, {.path = "model.norm_f",
                                                       .help = "Norm before the classifier",
                                                       .group = kBlock,
                                                       .advanced = true}),
                     "norm; its last entry", [](OpenKeys& keys) {
                         const json& norm = keys.at("norm");
                         return norm.is_array() ? norm.back() : norm;
                     }));
    fields.push_back(
        by_base(bind_model(&ModelConfig::norm_eps, {.path = "model.norm_eps",
                                                    .help = "Added to the variance in every norm",
                                                    .minimum = 0,
                                                    .maximum = 1,
                                                    .open_minimum = true,
                                                    .group = kBlock,
                                                    .advanced = true}),
                1e-5, 1e-6));
    fields.push_back(by_base(bind_model(&ModelConfig::pos, {.path = "model.pos",
                                                            .help = "How positions enter",
                                                            .group = kBlock,
                                                            .advanced = true}),
                             "learned", "rope"));
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
    fields.push_back(with_default(
        bind_model(&ModelConfig::rope_dim, {.path = "model.rope_dim",
                                            .help = "Rotated columns of every head, its first; "
                                                    "GPT-NeoX rotates a quarter",
                                            .unit = "numbers",
                                            .minimum = 1,
                                            .maximum = 1 << 17,
                                            .group = kBlock,
                                            .advanced = true}),
        "d_head", [](OpenKeys& keys) { return keys.whole("d_head"); }));
}

void add_mlp_and_skips(std::vector<BoundField>& fields) {
    fields.push_back(
        by_base(bind_per_layer(&ModelConfig::mlp, {.path = "model.mlp",
                                                   .help = "Activation of the MLP; swiglu, geglu "
                                                           "and reglu are gated",
                                                   .group = kBlock}),
                "gelu", "swiglu"));
    fields.push_back(with_default(
        bind_model(&ModelConfig::tie, {.path = "model.tie",
                                       .help = "The classifier is the transposed token embedding",
                                       .group = kBlock,
                                       .advanced = true}),
        "true; llama and images: false",
        [](OpenKeys& keys) { return keys.at("base") == "gpt2" && !reads_images(keys); }));
    fields.push_back(
        bind_model(&ModelConfig::bias, {.path = "model.bias",
                                        .help = "Biases beside q, k, v, o, the MLP's matrices and "
                                                "every LayerNorm's gain, as in OpenAI's GPT-2",
                                        .group = kBlock,
                                        .advanced = true}));
    fields.push_back(
        with_default(bind_model(&ModelConfig::causal,
                                {.path = "model.causal",
                                 .help = "Positions see only what is before them; false = no mask, "
                                         "an encoder (next-token training then sees its answers)",
                                 .group = kBlock,
                                 .advanced = true}),
                     "true; images: false", [](OpenKeys& keys) { return !reads_images(keys); }));
    fields.push_back(
        bind_model(&ModelConfig::topology, {.path = "model.topology",
                                            .help = "Attention then MLP, or both side by side",
                                            .group = kBlock,
                                            .advanced = true}));
    fields.push_back(bind_model(&ModelConfig::parallel_norm,
                                {.path = "model.parallel_norm",
                                 .help = "Whether attention and MLP side by side read one norm or "
                                         "each its own, as in GPT-NeoX",
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
    fields.push_back(
        by_base(bind_model(&ModelConfig::init_residual_scale,
                           {.path = "model.init_residual_scale",
                            .help = "Initial W_O and W_down are divided by sqrt(2 n_layer)",
                            .group = kBlock,
                            .advanced = true}),
                true, false));
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
    const auto rotates_heads = [](const Job& job) {
        return job.model.pos == Positions::kRope && !job.model.mla;
    };
    const auto is_serial = [](const Job& job) { return job.model.topology == Topology::kSerial; };
    const auto has_parallel_norms = [](const Job& job) {
        return job.model.topology == Topology::kParallel &&
               job.model.norm.any([](NormKind kind) { return kind != NormKind::kNone; });
    };
    // Of latent attention it is what d_nope and d_v are unless they are given.
    const auto has_head_width = [](const Job& job) {
        const auto& mla = job.model.mla;
        return !mla || mla->d_nope == job.model.d_head || mla->d_v == job.model.d_head;
    };
    const auto is_drawn = [](const Job& job) { return !job.train.starts_from_file(); };
    const auto divides = [](const Job& job) {
        const auto has_epsilon = [](NormKind kind) {
            return kind == NormKind::kLayerNorm || kind == NormKind::kRmsNorm;
        };
        return job.model.norm.any(has_epsilon) || has_epsilon(job.model.norm_f);
    };
    count_when(fields, {"rope_theta", "rope_style"}, {"pos = rope", rotates});
    count_when(fields, {"rope_dim"}, {"pos = rope without mla", rotates_heads});
    count_when(fields, {"parallel_norm"}, {"topology = parallel and a norm", has_parallel_norms});
    count_when(fields, {"skip_mlp"}, {"topology = serial", is_serial});
    count_when(fields, {"d_head"}, {"mla = null, or one without d_nope or d_v", has_head_width});
    count_when(fields, {"init_std", "init_residual_scale"}, {"train.init_from = random", is_drawn});
    count_when(fields, {"norm_eps"}, {"norm or norm_f = layernorm or rmsnorm", divides});
    set_concern(fields, {"arch", "base", "block_size"}, Concern::kLabel);
    set_concern(fields, {"init_std", "init_residual_scale"}, Concern::kStart);
    return fields;
}

}  // namespace headroom
