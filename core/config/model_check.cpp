#include "core/config/model_check.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/config/enum_names.h"

namespace headroom {
namespace {

/// Identity maps take or give slices of the residual stream, so the heads must tile it.
void check_tiling(const ModelConfig& c, std::string_view key, std::string_view map) {
    if (c.n_head * c.d_head != c.d_model)
        throw UserError(
            fmt::format("model.{} = {} needs n_head * d_head = d_model, but {} * {} is not {}", key,
                        map, c.n_head, c.d_head, c.d_model),
            fmt::format("set model.{} = linear or change the head width", key));
}

void check_identity_maps(const ModelConfig& c) {
    if (c.query != QueryMap::kLinear) check_tiling(c, "query", spelling(c.query));
    if (c.out_proj == Projection::kIdentity) check_tiling(c, "out_proj", "identity");
    const auto check_kv = [&](Projection map, std::string_view key) {
        if (map != Projection::kIdentity) return;
        if (c.n_kv_head != c.n_head)
            throw UserError(
                fmt::format("model.{} = identity needs one key/value head per query "
                            "head, but n_kv_head = {} and n_head = {}",
                            key, c.n_kv_head, c.n_head),
                fmt::format("set model.{} = linear or model.n_kv_head = {}", key, c.n_head));
        check_tiling(c, key, "identity");
    };
    check_kv(c.key, "key");
    check_kv(c.value, "value");
}

void check_mla(const ModelConfig& c) {
    if (!c.mla) return;
    const auto refuse = [](std::string_view what) {
        throw UserError(fmt::format("model.mla does not go with {}", what),
                        "leave one of them out");
    };
    if (c.n_kv_head != c.n_head) refuse("model.n_kv_head other than n_head");
    if (c.key != Projection::kLinear) refuse("model.key = identity");
    if (c.value != Projection::kLinear) refuse("model.value = identity");
    if (c.query != QueryMap::kLinear) refuse("model.query other than linear");
    if (c.qk_norm) refuse("model.qk_norm");
    if (c.custom_wiring) refuse("model.wiring");
    if (c.wiring_choice.key_source != "own") refuse("model.key_source");
    const WiringChoice& choice = c.wiring_choice;
    const std::string& values = choice.value_source;
    if (values != "own" && values != "skip") refuse("model.value_source = " + values);
    if (values != "skip") return;
    if (choice.inject != "concat") refuse("model.inject = " + choice.inject);
    if (choice.skip_res) refuse("model.skip_res");
    if (choice.skip_layer == 0) refuse("model.skip_layer = 0");
    if (choice.skip_layer > c.n_layer)
        throw UserError(
            fmt::format("model.skip_layer = {} is not a layer of this model", choice.skip_layer),
            fmt::format("choose 1 to {}", c.n_layer));
}

void check_rope(const ModelConfig& c) {
    // Latent attention always rotates its rotary part.
    if (c.pos != Positions::kRope && !c.mla) return;
    const int64_t rotated = c.mla ? c.mla->d_r : c.d_head;
    if (rotated % 2 != 0)
        throw UserError(fmt::format("rotation turns pairs of columns, but {} = {} is odd",
                                    c.mla ? "model.mla.d_r" : "model.d_head", rotated),
                        "choose an even width");
}

void check_shared_layers(const ModelConfig& c) {
    if (!c.share_layers) return;
    const auto differ = [](const std::vector<int>& own) {
        return std::any_of(own.begin(), own.end(), [&](int n) { return n != own.front(); });
    };
    const bool shares_latent = c.mla && c.wiring_choice.value_source == "skip";
    if (differ(c.wiring.own_key_heads) || differ(c.wiring.own_value_heads) || shares_latent)
        throw UserError("model.share_layers needs layers that project the same heads",
                        "leave model.value_source, key_source and wiring at their defaults");
    for (int layer = 0; layer < c.wiring.n_layer; ++layer)
        if (learns_lambda(c.wiring, layer))
            throw UserError("model.share_layers does not go with learned weights of sources",
                            "give model.res_lambda a number");
}

/// Hyper-connections take the place of the residual stream.
void check_hyper(const ModelConfig& c) {
    if (c.hyper == HyperKind::kNone) {
        if (c.n_stream != 1)
            throw UserError(
                fmt::format("model.n_stream = {} has no effect with one residual stream",
                            c.n_stream),
                "set model.hyper = hc or mhc, or leave n_stream out");
        return;
    }
    const auto refuse = [&](std::string_view what, std::string_view why) {
        throw UserError(
            fmt::format("model.hyper = {} does not go with {}: {}", spelling(c.hyper), what, why),
            "leave one of them out");
    };
    if (c.dense) refuse("model.dense", "both replace the residual stream");
    const bool serial = c.topology == Topology::kSerial;
    if (!c.skip_attn || (serial && !c.skip_mlp))
        refuse("a missing skip", "its mixing matrix is the skip");
}

void check_dense(const ModelConfig& c) {
    if (c.dense && c.dwa_period > c.n_layer)
        throw UserError(fmt::format("model.dwa_period = {} leaves no average in {} layers",
                                    c.dwa_period, c.n_layer),
                        fmt::format("choose 1 to {}", c.n_layer));
}

}  // namespace

void check_model(const ModelConfig& config) {
    check_identity_maps(config);
    check_mla(config);
    check_rope(config);
    check_shared_layers(config);
    check_hyper(config);
    check_dense(config);
}

}  // namespace headroom
