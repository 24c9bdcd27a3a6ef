#include "core/weights/interop/nanogpt.h"

#include <nlohmann/json.hpp>

namespace headroom::nanogpt {
namespace {

constexpr auto kTransposed = Orientation::kTransposed;

/// The `model_args` of a nanoGPT checkpoint.
Translation translate(const ConfigReader& args) {
    Translation result;
    nlohmann::json& keys = *result.keys;
    const auto copy = [&](const char* theirs, const char* ours) {
        if (const auto value = args.whole(theirs)) keys[ours] = *value;
    };
    copy("n_layer", "n_layer");
    copy("n_head", "n_head");
    copy("n_embd", "d_model");
    copy("block_size", "block_size");
    copy("vocab_size", "vocab_size");
    if (const auto bias = args.flag("bias")) keys["bias"] = *bias;
    keys["tie"] = true;
    return result;
}

nlohmann::ordered_json config_of(const ModelConfig& model) {
    return {{"n_layer", model.n_layer},
            {"n_head", model.n_head},
            {"n_embd", model.d_model},
            {"block_size", model.block_size},
            {"bias", model.bias},
            {"vocab_size", model.vocab_size},
            {"dropout", 0.0}};
}

}  // namespace

Layout layout() {
    Layout layout;
    layout.name = "nanogpt";
    layout.title = "nanoGPT";
    layout.prefix = "transformer.";
    layout.is_folder = false;
    layout.rows = {
        {"wte.weight", "wte.weight"},
        {"wpe.weight", "wpe.weight"},
        {"h.{i}.ln_1.weight", "h.{i}.ln_1.weight"},
        {"h.{i}.ln_1.bias", "h.{i}.ln_1.bias"},
        {"h.{i}.attn.q.weight", "h.{i}.attn.c_attn.weight", kTransposed},
        {"h.{i}.attn.k.weight", "h.{i}.attn.c_attn.weight", kTransposed},
        {"h.{i}.attn.v.weight", "h.{i}.attn.c_attn.weight", kTransposed},
        {"h.{i}.attn.q.bias", "h.{i}.attn.c_attn.bias"},
        {"h.{i}.attn.k.bias", "h.{i}.attn.c_attn.bias"},
        {"h.{i}.attn.v.bias", "h.{i}.attn.c_attn.bias"},
        {"h.{i}.attn.o.weight", "h.{i}.attn.c_proj.weight", kTransposed},
        {"h.{i}.attn.o.bias", "h.{i}.attn.c_proj.bias"},
        {"h.{i}.ln_2.weight", "h.{i}.ln_2.weight"},
        {"h.{i}.ln_2.bias", "h.{i}.ln_2.bias"},
        {"h.{i}.mlp.up.weight", "h.{i}.mlp.c_fc.weight", kTransposed},
        {"h.{i}.mlp.up.bias", "h.{i}.mlp.c_fc.bias"},
        {"h.{i}.mlp.down.weight", "h.{i}.mlp.c_proj.weight", kTransposed},
        {"h.{i}.mlp.down.bias", "h.{i}.mlp.c_proj.bias"},
        {"ln_f.weight", "ln_f.weight"},
        {"ln_f.bias", "ln_f.bias"},
        {"lm_head.weight", "lm_head.weight", kTransposed},
    };
    layout.ignored = {"h.{i}.attn.bias"};  // the causal mask of older versions
    layout.translate = translate;
    layout.config_of = config_of;
    return layout;
}

}  // namespace headroom::nanogpt
