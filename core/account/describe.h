#pragma once

#include <cstdint>

#include <nlohmann/json_fwd.hpp>

#include "core/base/dtype.h"
#include "core/config/model_config.h"

namespace headroom {

struct DescribeOptions {
    DType cache_dtype = DType::kBF16;
    int64_t seq_len = 0;  ///< tokens that attention is counted over; 0 = block_size
};

/// Everything that follows from a configuration, as `headroom describe --json` prints it:
///   params_total, params_active (what one token uses: of experts top_k, and their router),
///   params_non_embedding, params_without_positions, params_by_role
///   flops_per_token (training; see core/account/flops.h), flops_per_token_forward, seq_len
///   kv_decodable (false: an encoder, which keeps nothing), kv_dtype, kv_numbers_per_token,
///     kv_bytes_per_token, kv_bytes_per_token_by_dtype, kv_saved_share (of an unshared cache)
///   layers[]: layer, params, experts, top_k, own_key_heads, own_value_heads, kv_numbers_per_token,
///     kv_bytes_per_token, keys[], values[]: one entry per key/value head with head, sources
///     ([layer, head] or [layer, head, weight]), stored (heads that the layer keeps on its
///     account), bytes, readers ([layer, head] that read what is stored here); for latent
///     attention, whose heads are not stored, latent: own and shared coordinates, the source layer
///     of the shared ones, readers (layers), rotary, bytes
///   wiring: n_layer, n_head, n_kv_head, keys, values (as in job files), own_key_heads,
///     own_value_heads
///   model: the configuration in full
/// Layers and heads are 0-based. vocab_size must be known.
nlohmann::json describe_model(const ModelConfig& model, const DescribeOptions& options);

}  // namespace headroom
