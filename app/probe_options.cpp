#include "app/probe_options.h"

#include <CLI/CLI.hpp>

namespace headroom {
namespace {

/// An empty text would mean that the option was not given.
std::string refuse_nothing(const std::string& text) {
    return text.empty() ? "it is empty" : "";
}

void add_token_options(CLI::App& command, ProbeOptions& options) {
    CLI::Option* tokens =
        command.add_option("--tokens", options.token_list, "Token ids, e.g. 1,2,3")
            ->check(refuse_nothing);
    CLI::Option* prompt =
        command.add_option("--prompt", options.prompt, "A text, cut by the checkpoint's tokenizer")
            ->check(refuse_nothing);
    CLI::Option* data =
        command
            .add_option(
                "--data", options.eval.data,
                "text:PATH, tokens:FILE or task:NAME; a run's default is its own validation data")
            ->check(refuse_nothing);
    tokens->excludes(prompt)->excludes(data);
    prompt->excludes(data);
    command.add_option("--tokenizer", options.eval.tokenizer,
                       "byte, char, gpt2:FOLDER or json:FILE, where the checkpoint names none");
    command
        .add_option("--seq-len", options.eval.seq_len,
                    "Tokens per sequence of the data (the run's, or block_size)")
        ->check(CLI::Range(1, 1 << 24))
        ->excludes(tokens)
        ->excludes(prompt);
}

}  // namespace

void add_probe_options(CLI::App& command, ProbeOptions& options) {
    command.add_option("RUN_DIR", options.run, "A run's folder, in place of --checkpoint");
    command.add_option("--step", options.step, "Which checkpoint of the run (the newest)")
        ->check(CLI::NonNegativeNumber);
    add_checkpoint_options(command, options.checkpoint);
    command.get_option("--checkpoint")->required(false);
    add_token_options(command, options);
    command
        .add_option("--precision", options.eval.precision,
                    "Of the forward pass: float32, float64 or bfloat16")
        ->capture_default_str();
    command.add_option("--device", options.eval.device, "cpu, cuda or auto")
        ->check(CLI::IsMember({"cpu", "cuda", "auto"}));
    command.add_option("--out", options.out, "HDF5 file to write (RUN_DIR/probes/KIND-step-N.h5)");
    command.add_flag("--json", options.json, "Print one JSON document");
}

void add_probe_batch_options(CLI::App& command, ProbeOptions& options) {
    command.add_option("--batches", options.eval.batches, "Batches of the data")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    command
        .add_option("--batch-size", options.eval.batch_size,
                    "Sequences per batch; all batches count the same")
        ->check(CLI::Range(1, 65536))
        ->capture_default_str();
}

}  // namespace headroom
