#pragma once

#include <optional>

#include "cuda/decode/decode_plan.h"

namespace headroom::cuda {

/// How the rows of a prompt attend to a cache on tensor cores (prompt_block.h): a DecodePlan whose
/// tiles are those of attention's forward pass.
struct PromptPlan {
    DecodePlan plan;
    int shape;  ///< of kForwardShapes

    int64_t shared_bytes() const;  ///< of a block
};

/// Fewer queries of a key/value head go to the other blocks: most of a tile would be empty.
inline constexpr int64_t kFewestPromptQueries = 17;

/// For q and caches of these types, where a block may have so many bytes of shared memory. None
/// where there are few queries, where numbers are not bfloat16, where heads are wider than the
/// tiles, and where segments have weights or lie over each other: what they make together would
/// have to be rounded first.
std::optional<PromptPlan> plan_prompt(const CachedAttentionOptions& options, const TensorType& q,
                                      const TensorType& cache, int64_t shared_limit);

}  // namespace headroom::cuda
