#include "app/commands/probe_heads_command.h"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/probe_input.h"
#include "core/base/json_text.h"
#include "core/probe/heads_probe.h"

namespace headroom {
namespace {

using nlohmann::ordered_json;

HeadScores measure(const ProbeInput& input) {
    const ModelConfig& model = input.weights.config();
    const int64_t seq_len = input.tokens.seq_len;
    HeadScoreSum sum(model.n_layer, model.n_head, seq_len);
    run_probe_passes(input, ProbeTaps::all_attention(model),
                     [&](const ProbePass& pass, int64_t first) {
                         for (int64_t b = 0; b < input.pass_rows; ++b)
                             sum.add(pass, b,
                                     std::span(input.tokens.ids)
                                         .subspan(static_cast<size_t>((first + b) * seq_len),
                                                  static_cast<size_t>(seq_len)));
                     });
    return sum.mean();
}

ordered_json matrix(const std::vector<double>& values, int64_t columns) {
    ordered_json rows = ordered_json::array();
    for (size_t i = 0; i < values.size(); i += static_cast<size_t>(columns))
        rows.push_back(
            std::vector<double>(values.begin() + static_cast<std::ptrdiff_t>(i),
                                values.begin() + static_cast<std::ptrdiff_t>(i) + columns));
    return rows;
}

void print_json(const ProbeInput& input, const HeadScores& scores) {
    ordered_json document{{"out", input.out.string()},
                          {"checkpoint", input.header.checkpoint},
                          {"step", input.header.step},
                          {"sequences", input.tokens.batch_size},
                          {"seq_len", scores.seq_len}};
    for (size_t m = 0; m < kHeadMeasures; ++m)
        document["heads"][std::string(name_of(static_cast<HeadMeasure>(m)))] =
            matrix(scores.measures[m], scores.n_head);
    fmt::print("{}\n", dump_text(document, 2));
}

void print_table(const ProbeInput& input, const HeadScores& scores) {
    fmt::print("{:>5} {:>5}", "layer", "head");
    for (size_t m = 0; m < kHeadMeasures; ++m)
        fmt::print(" {:>15}", name_of(static_cast<HeadMeasure>(m)));
    fmt::print("\n");
    for (int64_t layer = 0; layer < scores.n_layer; ++layer)
        for (int64_t head = 0; head < scores.n_head; ++head) {
            fmt::print("{:>5} {:>5}", layer, head);
            for (size_t m = 0; m < kHeadMeasures; ++m)
                fmt::print(" {:>15.4f}", scores.at(static_cast<HeadMeasure>(m), layer, head));
            fmt::print("\n");
        }
    fmt::print(stderr, "{}: {} of {} tokens\n", input.out.string(),
               input.tokens.batch_size == 1 ? "1 sequence"
                                            : fmt::format("{} sequences", input.tokens.batch_size),
               scores.seq_len);
}

void probe_heads(const ProbeOptions& options) {
    const ProbeInput input = open_probe_input("heads", options);
    const HeadScores scores = measure(input);
    write_probe_file(input, [&](ArrayFileWriter& file) { write_head_scores(file, scores); });
    options.json ? print_json(input, scores) : print_table(input, scores);
}

}  // namespace

void add_probe_heads_command(CLI::App& probe) {
    CLI::App* command = probe.add_subcommand(
        "heads",
        "Entropy, sink, previous-token, duplicate-token and induction scores of each head");
    const auto options = std::make_shared<ProbeOptions>();
    options->eval.batches = 1;
    options->eval.batch_size = 8;
    add_probe_options(*command, *options);
    add_probe_batch_options(*command, *options);
    CLI::Option* repeat =
        command
            ->add_option("--repeat", options->repeat,
                         "Probe N random tokens twice over, the usual test for induction")
            ->check(CLI::Range(1, 1 << 20));
    for (const char* other : {"--tokens", "--prompt", "--data", "--seq-len"})
        repeat->excludes(command->get_option(other));
    command->add_option("--seed", options->repeat_seed, "Of --repeat's tokens")
        ->capture_default_str();
    command->callback([options] { probe_heads(*options); });
}

}  // namespace headroom
