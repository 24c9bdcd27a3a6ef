#include "app/commands/probe_lens_command.h"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/probe_input.h"
#include "app/probe_json.h"
#include "core/base/json_text.h"
#include "core/probe/lens_probe.h"

namespace headroom {
namespace {

LensNumbers measure(const ProbeInput& input) {
    LensSum sum(input.weights);
    ProbeTaps taps;
    taps.streams = true;
    run_probe_passes(input, taps, [&](const ProbePass& pass, int64_t first) {
        const int64_t length = input.tokens.seq_len;
        sum.add(pass, std::span(input.tokens.ids)
                          .subspan(static_cast<size_t>(first * length),
                                   static_cast<size_t>(input.pass_rows * length)));
    });
    return sum.mean();
}

void print_json(const ProbeInput& input, const LensNumbers& lens) {
    nlohmann::ordered_json document = probe_document(input);
    document["loss"] = to_json(lens.loss);
    document["kl"] = to_json(lens.kl);
    document["accuracy"] = to_json(lens.accuracy);
    fmt::print("{}\n", dump_text(document, 2));
}

/// What the likeliest token after the last one of the first sequence reads as.
std::string last_guess(const ProbeInput& input, const LensNumbers& lens, int64_t layer) {
    const Shape& shape = lens.top_probs.shape;
    const auto at = static_cast<size_t>(((layer + 1) * shape[1] - 1) * shape[2]);
    return fmt::format("{} ({:.3f})", token_text(input, lens.top_ids[at]),
                       lens.top_probs.values[at]);
}

void print_table(const ProbeInput& input, const LensNumbers& lens) {
    fmt::print("{:>6} {:>10} {:>10} {:>9}  {}\n", "layer", "loss", "KL", "accuracy",
               "after the last token");
    for (int64_t l = 0; l < lens.loss.shape[0]; ++l)
        fmt::print("{:>6} {:>10.4f} {:>10.4f} {:>9.4f}  {}\n",
                   l == 0 ? "embed" : std::to_string(l - 1), lens.loss.at({l}), lens.kl.at({l}),
                   lens.accuracy.at({l}), last_guess(input, lens, l));
    print_probe_end(input);
}

void probe_lens(const ProbeOptions& options) {
    const ProbeInput input = open_probe_input("lens", options);
    const LensNumbers lens = measure(input);
    write_probe_file(input, [&](ArrayFileWriter& file) { write_lens(file, lens); });
    options.json ? print_json(input, lens) : print_table(input, lens);
}

}  // namespace

void add_probe_lens_command(CLI::App& probe) {
    CLI::App* command = probe.add_subcommand(
        "lens", "The logit lens: every layer's output through the model's own norm and classifier");
    const auto options = std::make_shared<ProbeOptions>();
    options->eval.batches = 1;
    options->eval.batch_size = 4;
    add_probe_options(*command, *options);
    add_probe_batch_options(*command, *options);
    command->callback([options] { probe_lens(*options); });
}

}  // namespace headroom
