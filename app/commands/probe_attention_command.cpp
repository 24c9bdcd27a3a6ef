#include "app/commands/probe_attention_command.h"

#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/probe_input.h"
#include "app/progress_line.h"
#include "core/base/digits.h"
#include "core/base/json_text.h"
#include "core/probe/attention_probe.h"
#include "core/probe/attention_record.h"

namespace headroom {
namespace {

void report(const ProbeInput& input, bool json) {
    const AttentionRecord record(input.out);  // as others will read it
    const auto bytes = std::filesystem::file_size(input.out);
    if (json) {
        const nlohmann::ordered_json document{{"out", input.out.string()},
                                              {"checkpoint", input.header.checkpoint},
                                              {"step", input.header.step},
                                              {"n_layer", record.n_layer()},
                                              {"n_head", record.n_head()},
                                              {"seq_len", record.seq_len()},
                                              {"levels", record.levels()},
                                              {"logits", record.has_logits()},
                                              {"bytes", bytes}};
        fmt::print("{}\n", dump_text(document, 2));
        return;
    }
    fmt::print("{}: {} layers of {} heads over {} tokens{}, {} bytes\n", input.out.string(),
               record.n_layer(), record.n_head(), record.seq_len(),
               record.has_logits() ? ", with logits" : "",
               grouped_digits(static_cast<int64_t>(bytes)));
}

void probe_attention(const ProbeOptions& options, bool logits) {
    const ProbeInput input = open_probe_input("attention", options);
    ProgressLine line;
    AttentionRecordOptions how;
    how.logits = logits;
    how.dtype = input.precision == DType::kF64 ? DType::kF64 : DType::kF32;
    how.progress = [&](double share) { line.show(share); };
    ArrayFileWriter file(input.out);
    write_probe_header(file, input.header);
    write_probe_tokens(file, input.tokens);
    run_probe_passes(
        input, ProbeTaps::all_attention(input.weights.config()),
        [&](const ProbePass& pass, int64_t) { write_attention_record(file, pass, 0, how); });
    file.commit();
    line.clear();
    report(input, options.json);
}

}  // namespace

void add_probe_attention_command(CLI::App& probe) {
    CLI::App* command = probe.add_subcommand(
        "attention", "The attention maps of all layers and heads over one sequence");
    const auto options = std::make_shared<ProbeOptions>();
    const auto logits = std::make_shared<bool>(false);
    options->eval.batches = 1;
    options->eval.batch_size = 1;
    add_probe_options(*command, *options);
    command->add_flag("--logits", *logits, "Keep the scores before the softmax, too");
    command->callback([options, logits] { probe_attention(*options, *logits); });
}

}  // namespace headroom
