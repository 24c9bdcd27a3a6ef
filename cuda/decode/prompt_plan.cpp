#include "cuda/decode/prompt_plan.h"

#include <algorithm>

#include "cuda/attention/tile_shapes.h"

namespace headroom::cuda {
namespace {

/// Whether every column of a head is of one segment at most: a tile is copied and not added up.
bool are_apart(const std::vector<std::vector<CacheSegment>>& heads) {
    return std::all_of(heads.begin(), heads.end(), [](const std::vector<CacheSegment>& segments) {
        for (size_t n = 0; n < segments.size(); ++n)
            for (size_t m = 0; m < n; ++m) {
                const CacheSegment &a = segments[m], &b = segments[n];
                if (a.at < b.at + b.width && b.at < a.at + a.width) return false;
            }
        return true;
    });
}

}  // namespace

int64_t PromptPlan::shared_bytes() const {
    return forward_shared_bytes(kForwardShapes[shape]);
}

std::optional<PromptPlan> plan_prompt(const CachedAttentionOptions& o, const TensorType& q,
                                      const TensorType& cache, int64_t shared_limit) {
    // Two blocks for each of 132 multiprocessors: their registers have room for no more.
    constexpr int64_t kEnoughBlocks = 264;
    const int shape = choose_shape(kForwardShapes, forward_shared_bytes, o.query_width, o.out_width,
                                   shared_limit);
    const int64_t queries = q.shape[1] * (o.n_head / o.n_kv_head);
    if (q.dtype != DType::kBF16 || shape < 0 || queries < kFewestPromptQueries ||
        !o.has_plain_segments() || !are_apart(o.keys) || !are_apart(o.values) || o.scale <= 0)
        return std::nullopt;
    DecodePlan plan = plan_decode(o, q, cache);
    plan.queries = kForwardShapes[shape].rows();
    plan.pieces = 1;
    plan.pieces = pieces_for(plan, kEnoughBlocks);
    return PromptPlan{plan, shape};
}

}  // namespace headroom::cuda
