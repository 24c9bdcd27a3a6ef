#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/dtype.h"
#include "core/config/model_config.h"
#include "core/wiring/wiring_summary.h"

namespace headroom {

enum class CacheKind { kKeys, kValues, kLatent, kRotaryKey };

/// "keys", "values", "latent", "rotary key"
std::string_view name_of(CacheKind kind);

/// One buffer of the cache: what one layer projects of one kind and decoding keeps. All lists
/// are 0-based.
struct CacheBuffer {
    int layer = 0;  ///< the owner
    CacheKind kind = CacheKind::kKeys;
    int64_t heads = 0;         ///< that are stored; the latent and its rotary key are one
    int64_t width = 0;         ///< numbers per head and token
    std::vector<int> readers;  ///< layers that read any of it, the owner included if it does
    /// Of each stored head, the key/value heads that read it; empty for latent attention.
    std::vector<std::vector<HeadId>> head_readers;

    int64_t numbers_per_token() const { return heads * width; }
    int64_t bytes(DType dtype, int64_t batch_size, int64_t context) const {
        return numbers_per_token() * batch_size * context * static_cast<int64_t>(size_of(dtype));
    }
};

/// Every buffer that decoding keeps, by layer: exactly those of core/model/decode_caches.h, which
/// add up to core/account/kv_cache.h. None for an encoder.
std::vector<CacheBuffer> cache_buffers(const ModelConfig& model);

}  // namespace headroom
