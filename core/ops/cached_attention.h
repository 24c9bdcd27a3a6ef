#pragma once

#include "core/graph/op.h"

namespace headroom {

/// Columns of a cached head that a query or an output head meets: columns [first, first + width) of
/// head `head` of cache `cache` (counted among the caches) meet columns [at, at + width) of the
/// query head (keys) or of the output head (values), times constant + slope lambda.
struct CacheSegment {
    int cache = 0;
    int64_t head = 0;
    int64_t first = 0;
    int64_t width = 0;
    int64_t at = 0;
    double constant = 1.0;
    double slope = 0.0;

    bool operator==(const CacheSegment&) const = default;
};

struct CachedAttentionOptions {
    int64_t n_head = 0;
    int64_t n_kv_head = 0;
    int64_t query_width = 0;  ///< of one query head
    int64_t out_width = 0;    ///< of one output head
    double scale = 1.0;
    size_t n_cache = 0;
    bool has_lambda = false;  ///< the last input is the lambda of the segments
    std::vector<std::vector<CacheSegment>> keys, values;  ///< per key/value head

    int64_t kv_head_of(int64_t h) const { return h * n_kv_head / n_head; }
    /// True where products of what lies in the caches are all that is summed: a segment that is
    /// weighted would have to be rounded to the type of the products first.
    bool has_plain_segments() const;
};

/// Attention of new rows over everything that the caches hold, themselves included: with
/// n = StepContext::position + t + 1 keys for row t,
///     S_j = scale sum over key segments of (c + s lambda) q[at ..] · K_j[first ..],
///     P = softmax(S),  out[at ..] = sum over value segments of (c + s lambda) sum_j P_j V_j[first
///     ..].
/// One list of segments serves heads of one's own and of other layers, heads that several layers
/// make together, and the latent with its rotary part (DeepSeek-AI 2024, arXiv:2405.04434, section
/// 2.1, with the up-projections absorbed into query and output). No gradient.
/// q (batch_size, rows, n_head query_width), caches (batch_size, heads, capacity, width),
/// [lambda [1] in the accumulator type] -> (batch_size, rows, n_head out_width). Rows without a
/// token give zeros. Sums in the accumulator type.
class CachedAttention : public Op {
  public:
    explicit CachedAttention(CachedAttentionOptions options) : options_(std::move(options)) {}

    std::string_view name() const override { return "cached_attention"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    int64_t workspace_bytes(std::span<const TensorType> inputs, int threads) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;

    const CachedAttentionOptions& options() const { return options_; }

  private:
    CachedAttentionOptions options_;
};

}  // namespace headroom
