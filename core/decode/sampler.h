#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace headroom {

/// How the next token is chosen.
struct SamplingOptions {
    double temperature = 1.0;  ///< 0: the most likely token
    int64_t top_k = 0;         ///< among the k most likely; 0: among all
    double top_p = 1.0;        ///< among the fewest whose probabilities add up to p (nucleus)
    uint64_t seed = 1;

    bool operator==(const SamplingOptions&) const = default;
};

/// Throws UserError for a negative temperature or top_k, or top_p outside (0, 1].
void check_sampling(const SamplingOptions& options);

/// The probabilities that a token is drawn with: softmax(logits / temperature), cut to top_k and
/// then to top_p (Holtzman et al. 2019, arXiv:1904.09751, section 3.1), summing to 1. Ties go to
/// the lower id.
std::vector<double> sampling_probabilities(std::span<const double> logits,
                                           const SamplingOptions& options);

/// The token number `draw` of sequence `sequence`: a pure function of its arguments, so that a
/// seed always gives the same text.
int32_t sample_token(std::span<const double> logits, const SamplingOptions& options,
                     uint32_t sequence, uint32_t draw);

}  // namespace headroom
