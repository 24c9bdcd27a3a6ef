#include "core/ops/cached_attention.h"

#include <algorithm>

#include <fmt/format.h>

namespace headroom {
namespace {

void check_segments(const Op& op, const std::vector<std::vector<CacheSegment>>& heads,
                    const CachedAttentionOptions& o, std::span<const TensorType> caches,
                    int64_t met_width) {
    CHECK(heads.size() == static_cast<size_t>(o.n_kv_head), "one list of segments for each head");
    for (const auto& segments : heads)
        for (const CacheSegment& s : segments) {
            CHECK(s.cache >= 0 && static_cast<size_t>(s.cache) < o.n_cache && s.at >= 0 &&
                      s.at + s.width <= met_width && (s.slope == 0.0 || o.has_lambda),
                  "cached_attention: a segment of what does not exist");
            const TensorType& cache = caches[static_cast<size_t>(s.cache)];
            require_type(s.head < cache.shape[1] && s.first + s.width <= cache.shape[3], op,
                         fmt::format("a cache with head {} of width {}", s.head, s.first + s.width),
                         cache);
        }
}

}  // namespace

bool CachedAttentionOptions::has_plain_segments() const {
    const auto plain = [](const std::vector<CacheSegment>& segments) {
        return std::all_of(segments.begin(), segments.end(), [](const CacheSegment& s) {
            return s.constant == 1.0 && s.slope == 0.0;
        });
    };
    return std::all_of(keys.begin(), keys.end(), plain) &&
           std::all_of(values.begin(), values.end(), plain);
}

std::vector<TensorType> CachedAttention::infer(std::span<const TensorType> in) const {
    const CachedAttentionOptions& o = options_;
    require_inputs(*this, in, 1 + o.n_cache + (o.has_lambda ? 1 : 0));
    const TensorType& q = in[0];
    require_type(q.shape.size() == 3 && q.columns() == o.n_head * o.query_width, *this,
                 fmt::format("q [B, T, {}]", o.n_head * o.query_width), q);
    for (const TensorType& cache : in.subspan(1, o.n_cache))
        require_type(
            cache.dtype == q.dtype && cache.shape.size() == 4 && cache.shape[0] == q.shape[0] &&
                cache.shape[2] == in[1].shape[2],
            *this,
            fmt::format("a cache {} [{}, heads, capacity, width]", name_of(q.dtype), q.shape[0]),
            cache);
    if (o.has_lambda) {
        const TensorType lambda{accumulator_of(q.dtype), {1}};
        require_type(in.back() == lambda, *this, "lambda " + to_string(lambda), in.back());
    }
    const auto caches = in.subspan(1, o.n_cache);
    check_segments(*this, o.keys, o, caches, o.query_width);
    check_segments(*this, o.values, o, caches, o.out_width);
    return {{q.dtype, {q.shape[0], q.shape[1], o.n_head * o.out_width}}};
}

}  // namespace headroom
