#include "core/model/router_numbers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/ops/route.h"

namespace headroom {
namespace {

struct Measure {
    const char* name;
    const char* unit;
    const char* help;  ///< completed by "of layer 3" or "mean over the layers with a router"
};

constexpr Measure kMeasures[] = {
    {"dropped", "", "Share of the assignments that found no place in their expert"},
    {"balance", "", "Balance loss of the router: 1 when all experts are chosen equally often"},
    {"z", "", "z loss of the router: mean square of the logits' logsumexp"},
    {"entropy", "nats", "Mean entropy of the router's probabilities"},
    {"largest", "", "Share of the assignments that the most chosen expert gets"},
    {"smallest", "", "Share of the assignments that the least chosen expert gets"},
};

/// What the measures are in a layer, in their order; NaN where nothing is known.
std::vector<double> measures_of(std::span<const double> stats, int64_t experts) {
    if (stats.empty()) return std::vector<double>(std::size(kMeasures), std::nan(""));
    const auto shares = stats.first(static_cast<size_t>(experts));
    const auto told = stats.subspan(static_cast<size_t>(experts));
    std::vector<double> numbers(told.begin(), told.end());
    numbers.push_back(*std::max_element(shares.begin(), shares.end()));
    numbers.push_back(*std::min_element(shares.begin(), shares.end()));
    return numbers;
}

/// "router.h3.dropped"
std::string layer_name(int64_t layer, const std::string& what) {
    return fmt::format("router.h{}.{}", layer, what);
}

}  // namespace

std::string router_share_name(int64_t layer, int64_t expert) {
    return fmt::format("router.h{}.e{}", layer, expert);
}
std::string router_mean_name(const std::string& what) {
    return "router." + what;
}

bool logs_expert_shares(const ModelConfig& model) {
    constexpr int64_t kMostShares = 512;
    int64_t experts = 0;
    for (const int64_t layer : model.router_layers()) experts += model.mlp_experts.at(layer);
    return experts <= kMostShares;
}

int64_t count_router_stats(const ModelConfig& model) {
    int64_t count = 0;
    for (const int64_t layer : model.router_layers())
        count += model.mlp_experts.at(layer) + kRouteStats;
    return count;
}

std::vector<RouterNumber> router_numbers(const ModelConfig& model, std::span<const double> stats) {
    const std::vector<int64_t> layers = model.router_layers();
    const bool shares = logs_expert_shares(model);
    std::vector<RouterNumber> numbers;
    std::vector<double> means(std::size(kMeasures), 0.0);
    size_t at = 0;
    for (const int64_t layer : layers) {
        const int64_t count = model.mlp_experts.at(layer);
        const auto own =
            stats.empty() ? stats : stats.subspan(at, static_cast<size_t>(count + kRouteStats));
        at += static_cast<size_t>(count + kRouteStats);
        for (int64_t e = 0; e < count && shares; ++e)
            numbers.push_back(
                {{router_share_name(layer, e), "",
                  fmt::format("Share of the assignments that layer {} gives expert {}", layer, e)},
                 own.empty() ? std::nan("") : own[static_cast<size_t>(e)]});
        const std::vector<double> measured = measures_of(own, count);
        for (size_t i = 0; i < std::size(kMeasures); ++i) {
            means[i] += measured[i] / static_cast<double>(layers.size());
            if (std::ssize(layers) > kMostLoggedRouters) continue;
            const Measure& measure = kMeasures[i];
            numbers.push_back({{layer_name(layer, measure.name), measure.unit,
                                fmt::format("{}, of layer {}", measure.help, layer)},
                               measured[i]});
        }
    }
    for (size_t i = 0; i < std::size(kMeasures) && !layers.empty(); ++i)
        numbers.push_back(
            {{router_mean_name(kMeasures[i].name), kMeasures[i].unit,
              fmt::format("{}, mean over the layers with a router", kMeasures[i].help)},
             means[i]});
    return numbers;
}

}  // namespace headroom
