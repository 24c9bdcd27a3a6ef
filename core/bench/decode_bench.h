#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/dtype.h"
#include "core/config/model_config.h"
#include "core/device/device.h"

namespace headroom {

struct DecodeBenchOptions {
    DType precision = DType::kF32;
    int64_t batch_size = 1;
    int64_t context = 512;  ///< tokens of the prompt
    int64_t new_tokens = 32;
    int rounds = 3;
};

/// One model at one batch size: medians over the rounds.
struct DecodeBench {
    double prefill_ms_per_100_tokens = 0;  ///< of one sequence's tokens
    double tokens_per_second = 0;          ///< of all sequences together
    double step_seconds = 0;
    /// What a step must read: every matrix once, and the cache as it is half-way through.
    double bytes_per_step = 0;
    int64_t weight_bytes = 0;
    int64_t cache_bytes = 0;  ///< of the whole capacity, from the arena
    int64_t other_bytes = 0;  ///< activations, inputs, results and workspace
    int64_t predicted_cache_bytes = 0;
};

/// Times all models in turn, round by round, so that a slow minute of a shared machine meets all of
/// them. Random weights and tokens. Each model's vocab_size must be known and its block_size hold
/// context + new_tokens (learned positions).
std::vector<DecodeBench> bench_decoding(const std::vector<ModelConfig>& models,
                                        const DecodeBenchOptions& options, Device& device);

}  // namespace headroom
