#include "core/surgery/attention_matrix.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/config/enum_names.h"

namespace headroom {
namespace {

std::string map_of(const ModelConfig& model, const LayerMatrix& which) {
    const LayerChoices choices = model.layer(which.layer);
    switch (which.matrix) {
        case AttentionMatrix::kQuery:
            return fmt::format("query = {}", spelling(choices.query));
        case AttentionMatrix::kKey:
            return fmt::format("key = {}", spelling(choices.key));
        case AttentionMatrix::kValue:
            return fmt::format("value = {}", spelling(choices.value));
        case AttentionMatrix::kOutput:
            return fmt::format("out_proj = {}", spelling(choices.out_proj));
    }
    CHECK(false, "unknown matrix");
}

/// Keys and values: grouped heads and heads of other layers make the matrix narrow.
FailedAssumption why_narrow(const ModelConfig& model, const LayerMatrix& which) {
    const bool key = which.matrix == AttentionMatrix::kKey;
    const auto layer = static_cast<size_t>(which.layer);
    const int own = key ? model.wiring.own_key_heads[layer] : model.wiring.own_value_heads[layer];
    if (model.n_kv_head != model.n_head)
        return {
            "grouped heads",
            fmt::format(
                "grouped heads: {} is [{}, {}], not square, with model.n_kv_head = {} of {} heads",
                shown(which), model.d_model, own * model.d_head, model.n_kv_head, model.n_head)};
    if (own == model.n_head) return {};
    return {"reuse",
            fmt::format("cross-layer reuse: layer {} projects {} of {} {} heads itself, so {}",
                        which.layer, own, model.n_head, key ? "key" : "value",
                        own == 0 ? "it has no " + shown(which)
                                 : fmt::format("{} is [{}, {}], not square", shown(which),
                                               model.d_model, own * model.d_head))};
}

}  // namespace

const std::vector<AttentionMatrix>& attention_matrices() {
    static const std::vector<AttentionMatrix> all{AttentionMatrix::kQuery, AttentionMatrix::kKey,
                                                  AttentionMatrix::kValue,
                                                  AttentionMatrix::kOutput};
    return all;
}

std::string letter_of(AttentionMatrix matrix) {
    return std::string(1, "qkvo"[static_cast<size_t>(matrix)]);
}

std::string symbol_of(AttentionMatrix matrix) {
    return fmt::format("W_{}", "QKVO"[static_cast<size_t>(matrix)]);
}

AttentionMatrix parse_attention_matrix(const std::string& letter) {
    for (const AttentionMatrix matrix : attention_matrices())
        if (letter_of(matrix) == letter) return matrix;
    throw UserError(fmt::format("--matrix {} is none of a layer's attention", letter),
                    "use q, k, v or o");
}

std::string tensor_of(const LayerMatrix& which) {
    return fmt::format("h.{}.attn.{}.weight", which.layer, letter_of(which.matrix));
}

std::string shown(const LayerMatrix& which) {
    return fmt::format("{} of layer {}", symbol_of(which.matrix), which.layer);
}

bool has_matrix(const ModelConfig& model, const LayerMatrix& which) {
    const LayerChoices choices = model.layer(which.layer);
    const auto layer = static_cast<size_t>(which.layer);
    switch (which.matrix) {
        case AttentionMatrix::kQuery:
            return choices.query == QueryMap::kLinear || choices.query == QueryMap::kResidual;
        case AttentionMatrix::kKey:
            return choices.key == Projection::kLinear && model.wiring.own_key_heads[layer] > 0;
        case AttentionMatrix::kValue:
            return choices.value == ValueMap::kLinear && model.wiring.own_value_heads[layer] > 0;
        case AttentionMatrix::kOutput:
            return choices.out_proj == Projection::kLinear;
    }
    CHECK(false, "unknown matrix");
}

bool is_identity(const ModelConfig& model, const LayerMatrix& which) {
    const LayerChoices choices = model.layer(which.layer);
    switch (which.matrix) {
        case AttentionMatrix::kQuery:
            return choices.query == QueryMap::kIdentity;
        case AttentionMatrix::kKey:
            return choices.key == Projection::kIdentity;
        case AttentionMatrix::kValue:
            return choices.value == ValueMap::kIdentity;
        case AttentionMatrix::kOutput:
            return choices.out_proj == Projection::kIdentity;
    }
    CHECK(false, "unknown matrix");
}

FailedAssumption why_not_square(const ModelConfig& model, const LayerMatrix& which) {
    if (model.mla)
        return {"latent",
                "mla: keys and values come from a latent, so no matrix of the attention is a map "
                "of the residual stream to itself"};
    const bool kv =
        which.matrix == AttentionMatrix::kKey || which.matrix == AttentionMatrix::kValue;
    if (kv)
        if (FailedAssumption narrow = why_narrow(model, which); !narrow.empty()) return narrow;
    if (!has_matrix(model, which))
        return {"not there",
                fmt::format("{} is not there: {}", shown(which), map_of(model, which))};
    if (model.n_head * model.d_head != model.d_model)
        return {"not square",
                fmt::format("{} is not square: n_head * d_head = {} and d_model = {}", shown(which),
                            model.n_head * model.d_head, model.d_model)};
    return {};
}

void remove_matrix(ModelConfig& model, const LayerMatrix& which) {
    const auto set = [&](auto& choice, auto word) {
        if (model.share_layers)
            choice = word;
        else
            choice.set(which.layer, model.n_layer, word);
    };
    switch (which.matrix) {
        case AttentionMatrix::kQuery:
            return set(model.query, QueryMap::kIdentity);
        case AttentionMatrix::kKey:
            return set(model.key, Projection::kIdentity);
        case AttentionMatrix::kValue:
            return set(model.value, ValueMap::kIdentity);
        case AttentionMatrix::kOutput:
            return set(model.out_proj, Projection::kIdentity);
    }
}

}  // namespace headroom
