#include "core/model/decode_graph.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/model/forward_builder.h"
#include "core/model/objective.h"
#include "core/ops/decode_cache.h"

namespace headroom {
namespace {

/// One pass: returns the logits of all its tokens, or of the last one alone.
ValueId build_pass(DecodeGraph& decode, const ModelConfig& model, const GraphWeights& weights,
                   const ForwardOptions& options, ValueId tokens, bool all) {
    Graph& graph = decode.graph;
    ValueId x = ForwardBuilder(graph, model, weights, options).build(tokens);
    if (!all)
        x = graph.apply1(options.phase, std::make_shared<LastRow>(), {x}, options.prefix + "last");
    return Objective(graph, model, weights).logits(options.phase, x, options.prefix + "logits");
}

}  // namespace

std::vector<ValueId> DecodeCaches::all() const {
    std::vector<ValueId> ids;
    for (const auto* list : {&keys, &values, &latents, &ropes})
        std::copy_if(list->begin(), list->end(), std::back_inserter(ids),
                     [](ValueId id) { return id != kNoValue; });
    return ids;
}

DecodeCaches add_decode_caches(Graph& graph, const ModelConfig& model, DType precision,
                               int64_t batch_size, int64_t capacity) {
    DecodeCaches caches;
    caches.capacity = capacity;
    const auto add = [&](std::vector<ValueId>& to, const char* what, int layer, int64_t heads,
                         int64_t width) {
        const Shape shape{batch_size, heads, capacity, width};
        to.push_back(heads * width == 0 ? kNoValue
                                        : graph.add_value(fmt::format("cache.{}.{}", layer, what),
                                                          {precision, shape}, Role::kCache));
    };
    for (int layer = 0; layer < model.n_layer; ++layer) {
        const auto at = static_cast<size_t>(layer);
        if (model.mla) {
            add(caches.latents, "latent", layer, 1, model.wiring.latents[at].own);
            add(caches.ropes, "k_rope", layer, 1, model.mla->d_r);
        } else {
            add(caches.keys, "k", layer, model.wiring.own_key_heads[at], model.d_head);
            add(caches.values, "v", layer, model.wiring.own_value_heads[at], model.d_head);
        }
    }
    return caches;
}

void check_continues(const ModelConfig& model) {
    if (model.reads_images())
        throw UserError("a model of images tells classes and cannot continue a text",
                        "take one with model.input = tokens; headroom eval takes models of images");
    if (!model.causal)
        throw UserError(
            "a model with model.causal = false is an encoder and cannot continue a text",
            "take one with model.causal = true; headroom eval and headroom probe take encoders");
}

DecodeGraph build_decode_graph(const ModelConfig& model, DType precision,
                               const DecodeShape& shape) {
    check_continues(model);
    DecodeGraph decode;
    Graph& graph = decode.graph;
    const GraphWeights weights(graph, model, precision);
    decode.parameters = weights.parameters();
    const auto input = [&](const char* name, int64_t rows) {
        return graph.add_value(name, {DType::kI32, {shape.batch_size, rows}}, Role::kInput);
    };
    decode.chunk_tokens = input("chunk.tokens", shape.chunk);
    decode.tokens = input("tokens", shape.step);
    decode.caches = add_decode_caches(graph, model, precision, shape.batch_size, shape.capacity);
    weights.append_copies();
    decode.chunk_logits = build_pass(
        decode, model, weights, {Phase::kForward, "chunk.", 0.0, precision, 0.0, &decode.caches},
        decode.chunk_tokens, false);
    decode.logits = build_pass(decode, model, weights,
                               {Phase::kDecode, "", 0.0, precision, 0.0, &decode.caches},
                               decode.tokens, shape.step > 1);
    return decode;
}

}  // namespace headroom
