#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/config/per_layer_binding.h"

namespace headroom {
namespace {

using nlohmann::json;

constexpr char kExperts[] = "Experts";
constexpr int64_t kUsualTopK = 2;

/// As many as usual, layer by layer where the experts are given so.
json default_top_k(OpenKeys& keys) {
    const auto of = [](const json& experts) {
        return json(std::min(kUsualTopK, experts.get<int64_t>()));
    };
    const json experts = keys.at("mlp_experts");
    if (!experts.is_array()) return of(experts);
    json list = json::array();
    for (const json& entry : experts) list.push_back(of(entry));
    return list;
}

}  // namespace

std::vector<BoundField> expert_fields() {
    std::vector<BoundField> fields;
    fields.push_back(bind_per_layer(
        &ModelConfig::mlp_experts,
        {.path = "model.mlp_experts",
         .help = "Mixture of experts: MLPs of a layer, of which a router chooses mlp_top_k for "
                 "each token; 1 = one MLP and no router",
         .unit = "experts",
         .minimum = 1,
         .maximum = kMostExperts,
         .group = kExperts,
         .newer = true}));
    fields.push_back(with_default(
        bind_per_layer(&ModelConfig::mlp_top_k,
                       {.path = "model.mlp_top_k",
                        .help = "Experts that compute each token: those of the largest "
                                "probabilities, which are their weights, scaled to a sum of 1",
                        .unit = "experts",
                        .minimum = 1,
                        .maximum = kMostExperts,
                        .group = kExperts,
                        .newer = true}),
        "2; 1 where mlp_experts is 1", default_top_k));
    const auto number = [&](auto member, const std::string& key, const std::string& help,
                            double maximum) {
        fields.push_back(bind_model(member, {.path = "model." + key,
                                             .help = help,
                                             .minimum = 0,
                                             .maximum = maximum,
                                             .group = kExperts,
                                             .newer = true}));
    };
    number(&ModelConfig::mlp_capacity, "mlp_capacity",
           "An expert takes at most this times its even share of a batch's assignments, in the "
           "order of the tokens; what comes later is dropped; 0 = nothing is. Decoding drops "
           "nothing",
           1e6);
    number(&ModelConfig::mlp_balance, "mlp_balance",
           "Factor of the balance loss, which is least when all experts are chosen equally often",
           1e6);
    number(&ModelConfig::mlp_z, "mlp_z",
           "Factor of the z loss: the mean square of the logarithm of the sum of the router's "
           "exponentials",
           1e6);
    const auto routed = [](const Job& job) { return job.model.has_experts(); };
    count_when(fields, {"mlp_top_k", "mlp_capacity", "mlp_balance", "mlp_z"},
               {"mlp_experts > 1", routed});
    set_concern(fields, {"mlp_balance", "mlp_z"}, Concern::kStart);  // of training alone
    return fields;
}

}  // namespace headroom
