#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/probe/probe_kind.h"
#include "core/probe/weights_probe.h"

namespace headroom::kinds::weights {
namespace {

struct Numbers {
    std::vector<WeightNumbers> all;
    double loss = 0;
};

std::string table(const Numbers& numbers) {
    size_t names = 24;
    for (const WeightNumbers& one : numbers.all) names = std::max(names, one.name.size());
    std::string text = fmt::format("{:<{}} {:>14} {:>12} {:>14} {:>12} {:>12}\n", "tensor", names,
                                   "shape", "norm", "gradient norm", "largest", "smallest");
    for (const WeightNumbers& one : numbers.all) {
        text += fmt::format("{:<{}} {:>14} {:>12.5g} {:>14.5g}", one.name, names,
                            to_string(one.shape), one.norm, one.gradient_norm);
        if (!one.singular_values.empty())
            text += fmt::format(" {:>12.5g} {:>12.5g}", one.singular_values.front(),
                                one.singular_values.back());
        text += "\n";
    }
    return text + fmt::format("loss on these tokens: {:.4f} nats\n", numbers.loss);
}

void report(const Numbers& numbers, nlohmann::ordered_json& document) {
    document["loss"] = numbers.loss;
    for (const WeightNumbers& one : numbers.all) {
        nlohmann::ordered_json& entry = document["weights"][one.name];
        entry["shape"] = one.shape;
        entry["norm"] = one.norm;
        entry["gradient_norm"] = one.gradient_norm;
        if (!one.singular_values.empty()) entry["singular_values"] = one.singular_values;
    }
}

ProbeFindings measure(const ProbeTask& task) {
    const Batch asked = task.asked();
    GradientPass pass(task.weights.config(), task.shape(), asked, task.device);
    pass.load(task.weights);
    pass.run();
    const auto numbers =
        std::make_shared<const Numbers>(Numbers{measure_weights(task.weights, pass), pass.loss()});
    return {[numbers](ArrayFileWriter& file) { write_weights(file, numbers->all); },
            [numbers] { return table(*numbers); },
            [numbers](nlohmann::ordered_json& document) { report(*numbers, document); }};
}

int64_t bytes(const Job& job, const ProbeConfig& config, int threads) {
    return GradientPass::memory(job.model, live_probe_shape(job, config), threads).total;
}

}  // namespace

ProbeKind kind() {
    return {{.kind = "weights",
             .help = "Norms, gradient norms and singular values of every weight tensor",
             .batch_size = 4,
             .of_images = true},
            nullptr,
            measure,
            bytes};
}

}  // namespace headroom::kinds::weights
