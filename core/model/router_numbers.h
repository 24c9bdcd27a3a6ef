#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/config/model_config.h"
#include "core/log/run_series.h"
#include "core/model/router_value.h"

namespace headroom {

/// Whether a log has the share of every single expert: where there are at most 512 in all.
bool logs_expert_shares(const ModelConfig& model);
/// A log has numbers of single layers of models with at most so many routers; beyond, the means
/// over the layers alone.
inline constexpr int64_t kMostLoggedRouters = 64;

/// One number that a run's log has of its routers.
struct RouterNumber {
    ScalarInfo info;
    double value = 0;
};

/// Names of scalars: "router.h3.e5" (the share of the assignments that layer 3 gives expert 5),
/// and over the layers with a router "router.balance". Layers and experts count from 0.
std::string router_share_name(int64_t layer, int64_t expert);
/// `what`: dropped, balance, z, entropy, largest (share) or smallest.
std::string router_mean_name(const std::string& what);

/// How many numbers the routers of a model tell: of each layer the statistics of Route.
int64_t count_router_stats(const ModelConfig& model);

/// All of a model, in order. `stats`: those of its layers with a router, one after the other, means
/// over batches; or empty, and the values are NaN.
std::vector<RouterNumber> router_numbers(const ModelConfig& model, std::span<const double> stats);

}  // namespace headroom
