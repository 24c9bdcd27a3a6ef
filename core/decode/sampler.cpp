#include "core/decode/sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/philox.h"

namespace headroom {
namespace {

/// Token ids, most likely first.
std::vector<size_t> ranked(std::span<const double> logits) {
    std::vector<size_t> order(logits.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return logits[a] > logits[b]; });
    return order;
}

/// Sets the probabilities of all tokens that top_k and top_p leave out to 0.
void cut(std::span<const double> logits, const SamplingOptions& options,
         std::vector<double>& probabilities) {
    if (options.top_k == 0 && options.top_p == 1.0) return;  // no need to rank a whole vocabulary
    const std::vector<size_t> order = ranked(logits);
    size_t kept = order.size();
    if (options.top_k > 0) kept = std::min(kept, static_cast<size_t>(options.top_k));
    double total = 0, sum = 0;
    for (size_t n = 0; n < kept; ++n) total += probabilities[order[n]];
    for (size_t n = 0; n < order.size(); ++n) {
        const bool stays = n < kept && (n == 0 || sum < options.top_p * total);
        sum += probabilities[order[n]];
        if (!stays) probabilities[order[n]] = 0.0;
    }
}

}  // namespace

void check_sampling(const SamplingOptions& options) {
    if (!(options.temperature >= 0.0) || !std::isfinite(options.temperature))
        throw UserError(fmt::format("temperature {} is not usable", options.temperature),
                        "give 0 for the most likely token, or a positive number");
    if (options.top_k < 0)
        throw UserError(fmt::format("top_k {} is negative", options.top_k), "give 0 for no limit");
    if (!(options.top_p > 0.0 && options.top_p <= 1.0))
        throw UserError(fmt::format("top_p {} is not a probability", options.top_p),
                        "give a number above 0, up to 1");
}

std::vector<double> sampling_probabilities(std::span<const double> logits,
                                           const SamplingOptions& options) {
    CHECK(!logits.empty(), "logits to sample from");
    const auto largest = std::max_element(logits.begin(), logits.end());
    std::vector<double> probabilities(logits.size(), 0.0);
    if (options.temperature == 0.0) {
        probabilities[static_cast<size_t>(largest - logits.begin())] = 1.0;
        return probabilities;
    }
    for (size_t i = 0; i < logits.size(); ++i)
        probabilities[i] = std::exp((logits[i] - *largest) / options.temperature);
    cut(logits, options, probabilities);
    const double total = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
    for (double& p : probabilities) p /= total;
    return probabilities;
}

int32_t sample_token(std::span<const double> logits, const SamplingOptions& options,
                     uint32_t sequence, uint32_t draw) {
    const std::vector<double> probabilities = sampling_probabilities(logits, options);
    const auto words = Philox::block({draw, sequence, 0, 0}, static_cast<uint32_t>(options.seed),
                                     static_cast<uint32_t>(options.seed >> 32));
    const double point = (static_cast<double>(words[0]) + 0.5) * 0x1.0p-32;
    double sum = 0;
    size_t last = 0;
    for (size_t i = 0; i < probabilities.size(); ++i) {
        if (probabilities[i] == 0.0) continue;
        last = i;
        sum += probabilities[i];
        if (point < sum) break;
    }
    return static_cast<int32_t>(last);
}

}  // namespace headroom
