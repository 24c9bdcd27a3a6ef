#include "core/probe/attention_map.h"

#include <algorithm>
#include <cmath>

namespace headroom {

AttentionMap::AttentionMap(const ProbePass& pass, int layer, int head, int64_t b)
    : query_(pass.head(layer, head, HeadPart::kQuery, b)),
      key_(pass.head(layer, head, HeadPart::kKey, b)),
      scale_(pass.attention(layer).scale),
      causal_(pass.attention(layer).causal) {}

void AttentionMap::logits(int64_t i, std::span<double> out) const {
    const std::span<const double> q = query_.row(i);
    for (int64_t j = 0; j < visible(i); ++j) {
        const std::span<const double> k = key_.row(j);
        double dot = 0;
        for (size_t c = 0; c < q.size(); ++c) dot += q[c] * k[c];
        out[static_cast<size_t>(j)] = scale_ * dot;
    }
}

void AttentionMap::weights(int64_t i, std::span<double> out) const {
    logits(i, out);
    const std::span<double> seen = out.first(static_cast<size_t>(visible(i)));
    const double highest = *std::max_element(seen.begin(), seen.end());
    double sum = 0;
    for (double& w : seen) sum += w = std::exp(w - highest);
    for (double& w : seen) w /= sum;
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(seen.size()), out.end(), 0.0);
}

}  // namespace headroom
