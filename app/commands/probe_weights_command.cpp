#include "app/commands/probe_weights_command.h"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/probe_input.h"
#include "app/probe_json.h"
#include "core/base/json_text.h"
#include "core/probe/weights_probe.h"

namespace headroom {
namespace {

std::vector<WeightNumbers> measure(const ProbeInput& input, double& loss) {
    const ProbeShape shape{input.pass_rows, input.tokens.seq_len, input.precision};
    GradientPass pass(input.weights.config(), shape, input.tokens.batch_size / input.pass_rows,
                      *input.device);
    pass.load(input.weights);
    const auto count = static_cast<size_t>(shape.batch_size * shape.seq_len);
    for (size_t first = 0; first < input.tokens.ids.size(); first += count)
        pass.run(std::span(input.tokens.ids).subspan(first, count));
    loss = pass.loss();
    return measure_weights(input.weights, pass);
}

void print_json(const ProbeInput& input, const std::vector<WeightNumbers>& all, double loss) {
    nlohmann::ordered_json document = probe_document(input);
    document["loss"] = loss;
    for (const WeightNumbers& one : all) {
        nlohmann::ordered_json& entry = document["weights"][one.name];
        entry["shape"] = one.shape;
        entry["norm"] = one.norm;
        entry["gradient_norm"] = one.gradient_norm;
        if (!one.singular_values.empty()) entry["singular_values"] = one.singular_values;
    }
    fmt::print("{}\n", dump_text(document, 2));
}

void print_table(const ProbeInput& input, const std::vector<WeightNumbers>& all, double loss) {
    fmt::print("{:<24} {:>14} {:>12} {:>14} {:>12} {:>12}\n", "tensor", "shape", "norm",
               "gradient norm", "largest", "smallest");
    for (const WeightNumbers& one : all) {
        fmt::print("{:<24} {:>14} {:>12.5g} {:>14.5g}", one.name, to_string(one.shape), one.norm,
                   one.gradient_norm);
        if (!one.singular_values.empty())
            fmt::print(" {:>12.5g} {:>12.5g}", one.singular_values.front(),
                       one.singular_values.back());
        fmt::print("\n");
    }
    fmt::print(stderr, "loss on these tokens: {:.4f} nats\n", loss);
    print_probe_end(input);
}

void probe_weights(const ProbeOptions& options) {
    const ProbeInput input = open_probe_input("weights", options);
    double loss = 0;
    const std::vector<WeightNumbers> all = measure(input, loss);
    write_probe_file(input, [&](ArrayFileWriter& file) { write_weights(file, all); });
    options.json ? print_json(input, all, loss) : print_table(input, all, loss);
}

}  // namespace

void add_probe_weights_command(CLI::App& probe) {
    CLI::App* command = probe.add_subcommand(
        "weights", "Norms, gradient norms and singular values of every weight tensor");
    const auto options = std::make_shared<ProbeOptions>();
    options->eval.batches = 1;
    options->eval.batch_size = 4;
    add_probe_options(*command, *options);
    add_probe_batch_options(*command, *options);
    command->callback([options] { probe_weights(*options); });
}

}  // namespace headroom
