#include "core/config/model_check.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "core/base/key_error.h"
#include "core/config/enum_names.h"
#include "core/wiring/source_rules.h"

namespace headroom {
namespace {

/// A list by layer has an entry for each; weight-shared layers are one layer many times.
template <class T>
void check_layers(const ModelConfig& c, const PerLayer<T>& choice, std::string_view key) {
    const std::string path = fmt::format("model.{}", key);
    if (!choice.fits(c.n_layer))
        throw KeyError(UserError(fmt::format("{} has {} entries, but model.n_layer = {}", path,
                                             choice.entries().size(), c.n_layer),
                                 "give one word, or one entry per layer"),
                       {path, "model.n_layer"});
    if (c.share_layers && !choice.uniform())
        throw KeyError(
            UserError(fmt::format("{} differs by layer, but model.share_layers gives all layers "
                                  "the weights of the first",
                                  path),
                      "give one word for all layers"),
            {path, "model.share_layers"});
}

void check_layer_lists(const ModelConfig& c) {
    check_layers(c, c.query, "query");
    check_layers(c, c.key, "key");
    check_layers(c, c.value, "value");
    check_layers(c, c.out_proj, "out_proj");
    check_layers(c, c.mlp, "mlp");
    check_layers(c, c.mlp_experts, "mlp_experts");
    check_layers(c, c.mlp_top_k, "mlp_top_k");
    check_layers(c, c.skip_attn, "skip_attn");
    check_layers(c, c.skip_mlp, "skip_mlp");
    check_layers(c, c.norm, "norm");
}

/// Identity maps take or give slices of the residual stream, so the heads, as wide as the key
/// `width` says, must tile it.
void check_tiling(const ModelConfig& c, std::string_view key, std::string_view map,
                  std::string_view width, int64_t columns) {
    if (c.n_head * columns != c.d_model)
        throw KeyError(
            UserError(
                fmt::format("model.{} = {} needs n_head * {} = d_model, but {} * {} is not {}", key,
                            map, width, c.n_head, columns, c.d_model),
                fmt::format("set model.{} = linear or change the head width", key)),
            {fmt::format("model.{}", key), width == "d_head" ? "model.d_head" : "model.mla",
             "model.n_head", "model.d_model"});
}
void check_tiling(const ModelConfig& c, std::string_view key, std::string_view map) {
    check_tiling(c, key, map, "d_head", c.d_head);
}

/// The same of keys and values, of which every query head then needs its own.
void check_own_slices(const ModelConfig& c, std::string_view key, std::string_view map) {
    if (c.n_kv_head != c.n_head)
        throw KeyError(
            UserError(
                fmt::format(
                    "model.{} = {} needs one key/value head per query head, but n_kv_head = {} "
                    "and n_head = {}",
                    key, map, c.n_kv_head, c.n_head),
                fmt::format("set model.{} = linear or model.n_kv_head = {}", key, c.n_head)),
            {fmt::format("model.{}", key), "model.n_kv_head", "model.n_head"});
    check_tiling(c, key, map);
}

void check_maps(const ModelConfig& c) {
    for (const QueryMap map : c.query.entries())
        if (map != QueryMap::kLinear) check_tiling(c, "query", spelling(map));
    for (const Projection map : c.key.entries())
        if (map != Projection::kLinear) check_own_slices(c, "key", spelling(map));
    for (const ValueMap map : c.value.entries())
        if (map != ValueMap::kLinear) check_own_slices(c, "value", spelling(map));
    for (const Projection map : c.out_proj.entries())
        if (map != Projection::kLinear && c.mla)
            check_tiling(c, "out_proj", spelling(map), "mla.d_v", c.mla->d_v);
        else if (map != Projection::kLinear)
            check_tiling(c, "out_proj", spelling(map));
}

void check_mla(const ModelConfig& c) {
    if (!c.mla) return;
    const auto refuse = [](const std::string& key, const std::string& what = "") {
        throw KeyError(UserError(fmt::format("model.mla does not go with model.{}{}", key, what),
                                 "leave one of them out"),
                       {"model." + key, "model.mla"});
    };
    if (c.n_kv_head != c.n_head) refuse("n_kv_head", " other than n_head");
    if (c.key != Projection::kLinear) refuse("key", " = identity");
    if (c.value != ValueMap::kLinear) refuse("value", " other than linear");
    if (c.query != QueryMap::kLinear) refuse("query", " other than linear");
    if (c.qk_norm) refuse("qk_norm");
    if (c.custom_wiring) refuse("wiring");
    if (c.wiring_choice.key_source != "own") refuse("key_source");
    const WiringChoice& choice = c.wiring_choice;
    const std::string& values = choice.value_source;
    if (values != "own" && values != "skip") refuse("value_source", " = " + values);
    if (values != "skip") return;
    if (choice.inject != "concat") refuse("inject", " = " + choice.inject);
    if (choice.skip_res) refuse("skip_res");
    if (choice.skip_layer == 0) refuse("skip_layer", " = 0");
    check_skip_layer(choice.skip_layer, 1, static_cast<int>(c.n_layer));
}

void check_rope(const ModelConfig& c) {
    // Latent attention always rotates its rotary part.
    if (c.pos != Positions::kRope && !c.mla) return;
    if (!c.mla && c.rope_dim > c.d_head)
        throw KeyError(UserError(fmt::format("model.rope_dim = {} is more than model.d_head = {}",
                                             c.rope_dim, c.d_head),
                                 "leave it out, or choose an even width of at most d_head"),
                       {"model.rope_dim", "model.d_head", "model.n_head", "model.d_model"});
    const int64_t rotated = c.mla ? c.mla->d_r : c.rope_dim;
    if (rotated % 2 == 0) return;
    const std::string width = c.mla                 ? "model.mla.d_r"
                              : rotated == c.d_head ? "model.d_head"
                                                    : "model.rope_dim";
    throw KeyError(UserError(fmt::format("rotation turns pairs of columns, but {} = {} is odd",
                                         width, rotated),
                             "choose an even width"),
                   {c.mla ? "model.mla" : width, "model.n_head", "model.d_model", "model.pos"});
}

void check_shared_layers(const ModelConfig& c) {
    if (!c.share_layers) return;
    const auto differ = [](const std::vector<int>& own) {
        return std::any_of(own.begin(), own.end(), [&](int n) { return n != own.front(); });
    };
    const bool shares_latent = c.mla && c.wiring_choice.value_source == "skip";
    if (differ(c.wiring.own_key_heads) || differ(c.wiring.own_value_heads) || shares_latent)
        throw KeyError(
            UserError("model.share_layers needs layers that project the same heads",
                      "leave model.value_source, key_source and wiring at their defaults"),
            {"model.share_layers", "model.value_source", "model.key_source", "model.wiring"});
    for (int layer = 0; layer < c.wiring.n_layer; ++layer)
        if (learns_lambda(c.wiring, layer))
            throw KeyError(
                UserError("model.share_layers does not go with learned weights of sources",
                          "give model.res_lambda a number"),
                {"model.res_lambda", "model.share_layers"});
}

/// Hyper-connections take the place of the residual stream.
void check_hyper(const ModelConfig& c) {
    if (c.hyper == HyperKind::kNone) {
        if (c.n_stream != 1)
            throw KeyError(
                UserError(fmt::format("model.n_stream = {} has no effect with one residual stream",
                                      c.n_stream),
                          "set model.hyper = hc or mhc, or leave n_stream out"),
                {"model.n_stream", "model.hyper"});
        return;
    }
    const auto refuse = [&](const char* key, std::string_view what, std::string_view why) {
        throw KeyError(UserError(fmt::format("model.hyper = {} does not go with {}: {}",
                                             spelling(c.hyper), what, why),
                                 "leave one of them out"),
                       {"model.hyper", key});
    };
    if (c.dense) refuse("model.dense", "model.dense", "both replace the residual stream");
    const bool serial = c.topology == Topology::kSerial;
    if (c.skip_attn.has(false))
        refuse("model.skip_attn", "a missing skip", "its mixing matrix is the skip");
    if (serial && c.skip_mlp.has(false))
        refuse("model.skip_mlp", "a missing skip", "its mixing matrix is the skip");
}

/// Patches tile a picture; there is no order that a mask could keep and no table to tie to.
void check_images(const ModelConfig& c) {
    if (!c.reads_images()) return;
    if (c.image_size % c.patch_size != 0)
        throw KeyError(UserError(fmt::format("model.patch_size = {} does not divide "
                                             "model.image_size = {}",
                                             c.patch_size, c.image_size),
                                 "choose another size of either"),
                       {"model.patch_size", "model.image_size"});
    if (c.n_position() > kMostPositions)
        throw KeyError(UserError(fmt::format("an image of {} pixels has {} patches of {}",
                                             c.image_size, c.n_patch(), c.patch_size),
                                 fmt::format("make at most {} of it", kMostPositions - 1)),
                       {"model.patch_size", "model.image_size"});
    if (c.block_size != c.n_position())
        throw KeyError(
            UserError(fmt::format("model.block_size = {}, but an image has {} positions",
                                  c.block_size, c.n_position()),
                      "leave model.block_size out"),
            {"model.block_size", "model.image_size", "model.patch_size", "model.pooling"});
    const auto refuse = [](const char* key) {
        throw KeyError(
            UserError(fmt::format("model.{} = true does not go with model.input = images", key),
                      fmt::format("set model.{} = false", key)),
            {fmt::format("model.{}", key), "model.input"});
    };
    if (c.causal) refuse("causal");
    if (c.tie) refuse("tie");
}

/// A token cannot go to more experts than there are.
void check_experts(const ModelConfig& c) {
    for (int64_t layer = 0; layer < c.n_layer; ++layer) {
        const int64_t experts = c.mlp_experts.at(layer), top_k = c.mlp_top_k.at(layer);
        if (top_k <= experts) continue;
        throw KeyError(
            UserError(
                fmt::format("model.mlp_top_k = {} is more than the {} of layer {}", top_k,
                            experts == 1 ? "one MLP" : fmt::format("{} experts", experts), layer),
                experts == 1 && !c.mlp_experts.uniform()
                    ? "write a list with 1 for that layer, or leave mlp_top_k out"
                    : fmt::format("choose 1 to {}, or set model.mlp_experts", experts)),
            {"model.mlp_top_k", "model.mlp_experts"});
    }
}

void check_dense(const ModelConfig& c) {
    if (c.dense && c.dwa_period > c.n_layer)
        throw KeyError(UserError(fmt::format("model.dwa_period = {} leaves no average in {} layers",
                                             c.dwa_period, c.n_layer),
                                 fmt::format("choose 1 to {}", c.n_layer)),
                       {"model.dwa_period", "model.n_layer"});
}

}  // namespace

void check_model(const ModelConfig& config) {
    check_images(config);
    check_layer_lists(config);
    check_maps(config);
    check_mla(config);
    check_rope(config);
    check_shared_layers(config);
    check_hyper(config);
    check_experts(config);
    check_dense(config);
}

}  // namespace headroom
