#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/dtype.h"
#include "core/device/device.h"
#include "core/weights/weight_source.h"

namespace headroom {

/// How likely a model holds the tokens of `continuation` behind those of `context`.
struct ContinuationRequest {
    std::vector<int32_t> context;       ///< at least one token
    std::vector<int32_t> continuation;  ///< at least one token
};

struct ContinuationScore {
    double log_probability = 0;  ///< nats, summed over the continuation
    bool greedy = false;         ///< whether each of its tokens was the likeliest one
};

/// Scores requests as lm-evaluation-harness (Gao et al.) does, models/huggingface.py: the last
/// block_size + 1 tokens of context and continuation are read, the last one is not fed in, and the
/// log-softmax at the positions before each token of the continuation is added up. What texts begin
/// with in common is computed once and kept in the cache. `tell`, if given, is told how many are
/// done. UserError for a token outside the vocabulary, for an empty context or continuation, for a
/// continuation of more than block_size tokens, for a model without a causal mask and for one whose
/// logits are no numbers.
std::vector<ContinuationScore> score_continuations(
    const WeightSource& weights, DType precision, Device& device,
    std::span<const ContinuationRequest> requests,
    const std::function<void(size_t done)>& tell = nullptr);

}  // namespace headroom
