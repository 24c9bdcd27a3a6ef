#include "core/account/describe.h"

#include <algorithm>
#include <optional>

#include <nlohmann/json.hpp>

#include "core/account/flops.h"
#include "core/account/kv_cache.h"
#include "core/account/parameter_count.h"
#include "core/config/job_json.h"
#include "core/wiring/wiring_json.h"
#include "core/wiring/wiring_summary.h"

namespace headroom {
namespace {

using nlohmann::json;

/// Bytes that one stored head takes; nullopt where heads are not what is stored.
json heads_to_json(const std::vector<HeadUse>& uses, const json& sources,
                   std::optional<int64_t> head_bytes) {
    json heads = json::array();
    for (size_t head = 0; head < uses.size(); ++head) {
        json readers = json::array();
        for (const HeadId& place : uses[head].readers)
            readers.push_back(json::array({place.layer, place.head}));
        const int stored = head_bytes ? uses[head].stored_heads : 0;
        heads.push_back({{"head", head},
                         {"sources", sources.at(head)},
                         {"stored", stored},
                         {"bytes", stored * head_bytes.value_or(0)},
                         {"readers", std::move(readers)}});
    }
    return heads;
}

json latent_to_json(const LatentUse& use, int64_t d_r, int64_t number_bytes) {
    return {{"own", use.own},       {"shared", use.shared},
            {"source", use.source}, {"readers", use.readers},
            {"rotary", d_r},        {"bytes", (use.own + d_r) * number_bytes}};
}

json layers_to_json(const ModelConfig& model, const ParameterCount& params, const CacheCount& cache,
                    DType dtype) {
    const json table = to_json(model.wiring);
    const WiringSummary summary = summarize(model.wiring);
    const auto number_bytes = static_cast<int64_t>(size_of(dtype));
    // The heads of latent attention come out of the latent, and an encoder keeps none.
    std::optional<int64_t> head_bytes;
    if (!model.mla && cache.decodable) head_bytes = model.d_head * number_bytes;
    const std::vector<LatentUse> latents = latent_uses(model.wiring);
    json layers = json::array();
    for (size_t i = 0; i < cache.layers.size(); ++i)
        layers.push_back(
            {{"layer", i},
             {"params", params.by_layer[i]},
             {"experts", model.mlp_experts.at(static_cast<int64_t>(i))},
             {"top_k", model.mlp_top_k.at(static_cast<int64_t>(i))},
             {"own_key_heads", model.wiring.own_key_heads[i]},
             {"own_value_heads", model.wiring.own_value_heads[i]},
             {"kv_numbers_per_token", cache.layers[i].numbers()},
             {"kv_bytes_per_token", cache.layers[i].numbers() * number_bytes},
             {"keys", heads_to_json(summary.keys.uses[i], table["keys"][i], head_bytes)},
             {"values", heads_to_json(summary.values.uses[i], table["values"][i], head_bytes)}});
    for (size_t i = 0; i < latents.size(); ++i)
        layers[i]["latent"] =
            latent_to_json(latents[i], model.mla->d_r, cache.decodable ? number_bytes : 0);
    return layers;
}

json wiring_to_json(const Wiring& wiring) {
    json table = to_json(wiring);
    table.update({{"n_layer", wiring.n_layer},
                  {"n_head", wiring.n_head},
                  {"n_kv_head", wiring.n_kv_head},
                  {"own_key_heads", wiring.own_key_heads},
                  {"own_value_heads", wiring.own_value_heads}});
    return table;
}

json bytes_by_dtype(const CacheCount& cache) {
    json bytes = json::object();
    for (const DType dtype : {DType::kF32, DType::kBF16, DType::kF16})
        bytes[std::string(name_of(dtype))] = cache.bytes_per_token(dtype);
    return bytes;
}

}  // namespace

nlohmann::json describe_model(const ModelConfig& model, const DescribeOptions& options) {
    const ParameterCount params = count_parameters(model);
    const int64_t seq_len = options.seq_len > 0 ? options.seq_len : model.block_size;
    const FlopCount flops = count_flops(model, seq_len);
    const CacheCount cache = count_cache(model);
    const int64_t saved = cache.unshared_numbers_per_token - cache.numbers_per_token;
    json by_role = json::object();
    for (const auto& [role, n] : params.by_role) by_role[role] = n;
    json document{
        {"params_total", params.total},
        {"params_active", params.active},
        {"params_non_embedding", params.non_embedding},
        {"params_without_positions", params.without_positions},
        {"params_by_role", std::move(by_role)},
        {"flops_per_token", flops.training()},
        {"flops_per_token_forward", flops.forward()},
        {"seq_len", seq_len},
        {"kv_dtype", std::string(name_of(options.cache_dtype))},
        {"kv_decodable", cache.decodable},
        {"kv_numbers_per_token", cache.numbers_per_token},
        {"kv_bytes_per_token_by_dtype", bytes_by_dtype(cache)},
        {"kv_bytes_per_token", cache.bytes_per_token(options.cache_dtype)},
        {"kv_saved_share", static_cast<double>(saved) / static_cast<double>(std::max<int64_t>(
                                                            1, cache.unshared_numbers_per_token))},
        {"layers", layers_to_json(model, params, cache, options.cache_dtype)},
        {"wiring", wiring_to_json(model.wiring)},
        {"model", to_json(model)},
    };
    return document;
}

}  // namespace headroom
