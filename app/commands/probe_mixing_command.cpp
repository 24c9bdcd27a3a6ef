#include "app/commands/probe_mixing_command.h"

#include <cmath>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/probe_input.h"
#include "app/probe_json.h"
#include "core/base/json_text.h"
#include "core/probe/mixing_probe.h"

namespace headroom {
namespace {

NumberArray stream_norms(const ProbeInput& input) {
    StreamNormSum sum;
    ProbeTaps taps;
    taps.streams = true;
    run_probe_passes(input, taps, [&](const ProbePass& pass, int64_t) { sum.add(pass); });
    return sum.mean();
}

std::string row_text(const NumberArray& array, int64_t layer) {
    const auto width = static_cast<int64_t>(array.values.size()) / array.shape[0];
    std::string text;
    for (int64_t i = 0; i < width; ++i) {
        const double value = array.values[static_cast<size_t>(layer * width + i)];
        text += std::isnan(value) ? fmt::format("{:>9}", "–") : fmt::format("{:>9.4f}", value);
    }
    return text;
}

void print_table(const ProbeInput& input, const NumberArrays& mixing, const NumberArray& norms) {
    for (const auto& [name, array] : mixing) {
        fmt::print("{}\n", name);
        for (int64_t layer = 0; layer < array.shape[0]; ++layer)
            fmt::print("{:>6} {}\n", layer, row_text(array, layer));
    }
    if (mixing.empty()) fmt::print("This architecture learns no mixing weights.\n");
    fmt::print("norm of the residual stream\n");
    for (int64_t l = 0; l < norms.shape[0]; ++l)
        fmt::print("{:>6} {:>9.4f}\n", l == 0 ? "embed" : std::to_string(l - 1), norms.at({l}));
    print_probe_end(input);
}

void probe_mixing(const ProbeOptions& options) {
    const ProbeInput input = open_probe_input("mixing", options);
    const NumberArrays mixing = mixing_weights(input.weights);
    const NumberArray norms = stream_norms(input);
    write_probe_file(input, [&](ArrayFileWriter& file) { write_mixing(file, mixing, norms); });
    if (!options.json) return print_table(input, mixing, norms);
    nlohmann::ordered_json document = probe_document(input);
    document["mixing"] = to_json(mixing);
    document["stream_norm"] = to_json(norms);
    fmt::print("{}\n", dump_text(document, 2));
}

}  // namespace

void add_probe_mixing_command(CLI::App& probe) {
    CLI::App* command = probe.add_subcommand(
        "mixing", "Mixing weights that the architecture learned, and the residual stream's norm");
    const auto options = std::make_shared<ProbeOptions>();
    options->eval.batches = 1;
    options->eval.batch_size = 4;
    add_probe_options(*command, *options);
    add_probe_batch_options(*command, *options);
    command->callback([options] { probe_mixing(*options); });
}

}  // namespace headroom
