#include <cmath>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/probe/mixing_probe.h"
#include "core/probe/probe_kind.h"

namespace headroom::kinds::mixing {
namespace {

ProbeTaps taps(const ModelConfig&) {
    ProbeTaps taps;
    taps.streams = true;
    return taps;
}

struct Numbers {
    NumberArrays mixing;
    NumberArray norms;
};

std::string row_text(const NumberArray& array, int64_t layer) {
    const auto width = static_cast<int64_t>(array.values.size()) / array.shape[0];
    std::string text;
    for (int64_t i = 0; i < width; ++i) {
        const double value = array.values[static_cast<size_t>(layer * width + i)];
        text += std::isnan(value) ? fmt::format("{:>9}", "–") : fmt::format("{:>9.4f}", value);
    }
    return text;
}

std::string table(const Numbers& numbers) {
    std::string text;
    for (const auto& [name, array] : numbers.mixing) {
        text += name + "\n";
        for (int64_t layer = 0; layer < array.shape[0]; ++layer)
            text += fmt::format("{:>6} {}\n", layer, row_text(array, layer));
    }
    if (numbers.mixing.empty()) text += "This architecture learns no mixing weights.\n";
    text += "norm of the residual stream\n";
    for (int64_t l = 0; l < numbers.norms.shape[0]; ++l)
        text += fmt::format("{:>6} {:>9.4f}\n", l == 0 ? "embed" : std::to_string(l - 1),
                            numbers.norms.at({l}));
    return text;
}

ProbeFindings measure(const ProbeTask& task) {
    StreamNormSum sum;
    run_passes(task, taps(task.weights.config()),
               [&](const ProbePass& pass, std::span<const int32_t>) { sum.add(pass); });
    const auto numbers =
        std::make_shared<const Numbers>(Numbers{mixing_weights(task.weights), sum.mean()});
    return {
        [numbers](ArrayFileWriter& file) { write_mixing(file, numbers->mixing, numbers->norms); },
        [numbers] { return table(*numbers); },
        [numbers](nlohmann::ordered_json& document) {
            document["mixing"] = to_json(numbers->mixing);
            document["stream_norm"] = to_json(numbers->norms);
        }};
}

}  // namespace

ProbeKind kind() {
    return {{.kind = "mixing",
             .help = "Mixing weights that the architecture learned, and the residual stream's norm",
             .batch_size = 4,
             .of_images = true},
            taps,
            measure};
}

}  // namespace headroom::kinds::mixing
