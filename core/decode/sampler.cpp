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

/// How many of the ranked tokens stay.
size_t kept_tokens(const std::vector<double>& probabilities, const std::vector<size_t>& order,
                   const SamplingOptions& options) {
    if (options.temperature == 0.0) return 1;
    size_t kept = order.size();
    if (options.top_k > 0) kept = std::min(kept, static_cast<size_t>(options.top_k));
    double total = 0;
    for (size_t n = 0; n < kept; ++n) total += probabilities[order[n]];
    double sum = 0;
    for (size_t n = 0; n < kept; ++n) {
        sum += probabilities[order[n]];
        if (sum >= options.top_p * total) return n + 1;
    }
    return kept;
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
    const std::vector<size_t> order = ranked(logits);
    const double most = logits[order[0]];
    const double temperature = options.temperature == 0.0 ? 1.0 : options.temperature;
    std::vector<double> probabilities(logits.size());
    for (size_t i = 0; i < logits.size(); ++i)
        probabilities[i] = std::exp((logits[i] - most) / temperature);
    const size_t kept = kept_tokens(probabilities, order, options);
    double total = 0;
    for (size_t n = 0; n < order.size(); ++n) {
        if (n >= kept) probabilities[order[n]] = 0.0;
        total += probabilities[order[n]];
    }
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
