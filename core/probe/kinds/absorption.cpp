#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/absorb/checkpoint_absorption.h"
#include "core/probe/probe_datasets.h"
#include "core/probe/probe_kind.h"

namespace headroom::kinds::absorption {
namespace {

/// How far the MLP of each layer is from absorbing a skip around it; NaN in layers without a skip
/// and for kinds that never can.
struct Distances {
    NumberArray residual, coefficient_distance;
};

Distances measure_distances(const WeightSource& weights) {
    const ModelConfig& model = weights.config();
    Distances all{NumberArray::unknown({model.n_layer}), NumberArray::unknown({model.n_layer})};
    for (const int64_t layer : layers_with_mlp_skip(model)) {
        const Absorption answer = decide_absorption(layer_mlp(weights, layer));
        if (answer.relative_residual) all.residual.at({layer}) = *answer.relative_residual;
        if (answer.coefficient_distance)
            all.coefficient_distance.at({layer}) = *answer.coefficient_distance;
    }
    return all;
}

std::string number_text(double value) {
    return std::isnan(value) ? fmt::format("{:>12}", "–") : fmt::format("{:>12.5f}", value);
}

std::string table(const Distances& all) {
    std::string text = fmt::format("{:>6} {:>12} {:>12}\n", "layer", "residual", "from 0 or 1");
    for (int64_t layer = 0; layer < all.residual.shape[0]; ++layer)
        text += fmt::format("{:>6} {} {}\n", layer, number_text(all.residual.at({layer})),
                            number_text(all.coefficient_distance.at({layer})));
    return text;
}

ProbeFindings measure(const ProbeTask& task) {
    const auto all = std::make_shared<const Distances>(measure_distances(task.weights));
    return {[all](ArrayFileWriter& file) {
                write_arrays(file, kAbsorption,
                             {{kAbsorptionResidual, all->residual},
                              {"coefficient_distance", all->coefficient_distance}});
                file.plot_hint({kAbsorption, kAbsorptionResidual});
            },
            [all] { return table(*all); },
            [all](nlohmann::ordered_json& document) {
                document["residual"] = to_json(all->residual);
                document["coefficient_distance"] = to_json(all->coefficient_distance);
            }};
}

/// Three matrices of f x f and the MLP, in float64.
int64_t bytes(const Job& job, const ProbeConfig&, int) {
    const int64_t f = job.model.d_ff, d = job.model.d_model;
    return 8 * (3 * f * f + 3 * d * f + d * d);
}

}  // namespace

ProbeKind kind() {
    return {
        {.kind = "absorption",
         .help = "How far each layer's MLP is from absorbing a skip around it (headroom absorb)",
         .of_images = true,
         .weights_alone = true},
        nullptr,
        measure,
        bytes};
}

}  // namespace headroom::kinds::absorption
