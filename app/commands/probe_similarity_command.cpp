#include "app/commands/probe_similarity_command.h"

#include <filesystem>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/probe_input.h"
#include "app/probe_json.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/probe/similarity_probe.h"

namespace headroom {
namespace {

struct SimilarityOptions : ProbeOptions {
    std::string other;  ///< a checkpoint or a run's folder; "" = none
};

/// All sequences at once, since effective ranks and CKA are those of all tokens together.
SimilarityNumbers measure(ProbeInput& input, const SimilarityOptions& options) {
    input.pass_rows = input.tokens.batch_size;
    SimilarityNumbers numbers;
    if (options.other.empty()) {
        run_probe_passes(
            input, similarity_taps(input.weights.config()),
            [&](const ProbePass& pass, int64_t) { numbers = measure_similarity(pass); });
        return numbers;
    }
    const CheckpointWeights other = open_probe_weights(options.other);
    other.check_length(input.tokens.seq_len);
    ProbeTaps streams;
    streams.streams = true;
    ProbePass other_pass(other.config(), {input.pass_rows, input.tokens.seq_len, input.precision},
                         streams, *input.device);
    other_pass.load(other);
    other_pass.run(input.tokens.ids);
    run_probe_passes(input, similarity_taps(input.weights.config()),
                     [&](const ProbePass& pass, int64_t) {
                         numbers = measure_similarity(pass);
                         numbers.cka_other = cka_between(pass, other_pass);
                     });
    return numbers;
}

/// Token maps are left to the file.
void print_json(const ProbeInput& input, const SimilarityNumbers& numbers) {
    nlohmann::ordered_json document = probe_document(input);
    document["heads"] = to_json(numbers.heads);
    document["token_means"] = to_json(numbers.token_means);
    document["effective_rank"] = to_json(numbers.effective_rank);
    document["cka"] = to_json(numbers.cka);
    if (!numbers.cka_other.empty()) document["cka_other"] = to_json(numbers.cka_other);
    fmt::print("{}\n", dump_text(document, 2));
}

/// Mean over pairs of different heads.
double mean_between_heads(const NumberArray& maps, int64_t layer) {
    const int64_t n = maps.shape[1];
    double sum = 0;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j)
            if (i != j) sum += maps.at({layer, i, j});
    return sum / static_cast<double>(n * (n - 1));
}

void print_table(const ProbeInput& input, const SimilarityNumbers& numbers) {
    fmt::print("{:>6} {:>14} {:>16} {:>15} {:>10}\n", "layer", "heads (output)", "tokens (stream)",
               "effective rank", "CKA to end");
    const int64_t n_layer = input.header.model.n_layer;
    for (int64_t l = 0; l <= n_layer; ++l)
        fmt::print(
            "{:>6} {:>14} {:>16.4f} {:>15.2f} {:>10.4f}\n",
            l == 0 ? "embed" : std::to_string(l - 1),
            l == 0 ? ""
                   : fmt::format("{:.4f}", mean_between_heads(numbers.heads.at("output"), l - 1)),
            numbers.token_means.at("stream").at({l}), numbers.effective_rank.at("stream").at({l}),
            numbers.cka.at({n_layer, l}));
    print_probe_end(input);
}

void probe_similarity(const SimilarityOptions& options) {
    ProbeInput input = open_probe_input("similarity", options);
    const SimilarityNumbers numbers = measure(input, options);
    write_probe_file(input, [&](ArrayFileWriter& file) {
        write_similarity(file, numbers);
        if (!options.other.empty())
            file.attribute("/similarity/cka_other", "checkpoint", options.other);
    });
    options.json ? print_json(input, numbers) : print_table(input, numbers);
}

}  // namespace

void add_probe_similarity_command(CLI::App& probe) {
    CLI::App* command = probe.add_subcommand(
        "similarity", "How alike heads, tokens and layers are: cosines, effective rank, CKA");
    const auto options = std::make_shared<SimilarityOptions>();
    options->eval.batches = 1;
    options->eval.batch_size = 4;
    add_probe_options(*command, *options);
    add_probe_batch_options(*command, *options);
    command->add_option("--other", options->other,
                        "Another checkpoint or run's folder: CKA with its layers as well");
    command->callback([options] { probe_similarity(*options); });
}

}  // namespace headroom
