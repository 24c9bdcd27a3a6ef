#include "app/absorb/absorption_history.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/checkpoint_loading.h"
#include "core/base/error.h"
#include "core/base/json_numbers.h"
#include "core/checkpoint/checkpoint.h"
#include "core/weights/checkpoint_weights.h"

namespace headroom {
namespace {

using Json = nlohmann::ordered_json;

std::vector<LayerAbsorption> distances(const WeightSource& weights, std::optional<int64_t> layer) {
    const std::vector<int64_t> layers =
        layer ? std::vector{*layer} : layers_with_mlp_skip(weights.config());
    if (layers.empty())
        throw UserError("no layer of this model has a skip around its MLP",
                        "there is nothing to absorb");
    std::vector<LayerAbsorption> all;
    for (const int64_t each : layers) {
        LayerAbsorption one = decide_layer(weights, each);
        one.answer.coefficients.clear();
        one.answer.set.clear();
        all.push_back(std::move(one));
    }
    return all;
}

}  // namespace

std::vector<StepAbsorption> absorption_history(const std::filesystem::path& run,
                                               std::optional<int64_t> layer,
                                               const std::function<void(double)>& progress) {
    const std::vector<CheckpointFiles> files = checkpoints_of({run});
    std::vector<StepAbsorption> history;
    for (const CheckpointFiles& each : files) {
        progress(static_cast<double>(history.size()) / static_cast<double>(files.size()));
        const CheckpointWeights weights = CheckpointWeights::open(each.weights);
        history.push_back({each.step, distances(weights, layer)});
    }
    return history;
}

Json to_json(const std::string& run, const std::vector<StepAbsorption>& history) {
    Json steps = Json::array();
    for (const StepAbsorption& at : history) {
        Json mlps = Json::array();
        for (const LayerAbsorption& one : at.layers)
            mlps.push_back(
                {{"layer", one.layer},
                 {"decision", name_of(one.answer.decision)},
                 {"mlp_alone", name_of(one.mlp_alone)},
                 {"relative_residual", number_or_null(one.answer.relative_residual)},
                 {"coefficient_distance", number_or_null(one.answer.coefficient_distance)}});
        steps.push_back({{"step", at.step}, {"mlps", std::move(mlps)}});
    }
    return {{"run", run}, {"steps", std::move(steps)}};
}

std::string history_table(const std::vector<StepAbsorption>& history) {
    std::string text = fmt::format("{:>9}", "step");
    for (const LayerAbsorption& one : history.front().layers)
        text += fmt::format(" {:>11}", fmt::format("layer {}", one.layer));
    text += "\n";
    for (const StepAbsorption& at : history) {
        text += fmt::format("{:>9}", at.step);
        for (const LayerAbsorption& one : at.layers)
            text +=
                fmt::format(" {:>11}", one.answer.relative_residual
                                           ? fmt::format("{:.5f}", *one.answer.relative_residual)
                                           : std::string("-"));
        text += "\n";
    }
    return text +
           "What the best coefficients leave of the skip, of its norm: 0 where the MLP alone could "
           "take it in, - where no weights could.\n";
}

}  // namespace headroom
