#pragma once

#include <cstdint>
#include <span>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/config/model_config.h"

namespace headroom {

/// UserError for a token id outside the model's vocabulary.
inline void check_token_ids(const ModelConfig& model, std::span<const int32_t> tokens) {
    for (const int32_t token : tokens)
        if (token < 0 || token >= model.vocab_size)
            throw UserError(fmt::format("token {} is not in the vocabulary", token),
                            fmt::format("use ids from 0 to {}", model.vocab_size - 1));
}

}  // namespace headroom
