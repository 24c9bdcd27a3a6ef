#include "app/probe_options.h"

#include <algorithm>
#include <variant>

#include <CLI/CLI.hpp>

#include "app/number_checks.h"
#include "app/word_check.h"
#include "core/data/tokenizer_spec.h"

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
    CLI::Option* data = command
                            .add_option("--data", options.eval.data,
                                        "text:PATH, tokens:FILE, hdf5:FILE, task:NAME or "
                                        "images:FOLDER; a run's default is its own "
                                        "validation data")
                            ->check(refuse_nothing);
    tokens->excludes(prompt)->excludes(data);
    prompt->excludes(data);
    command.add_option("--tokenizer", options.eval.tokenizer,
                       tokenizer_forms() + ", where the checkpoint names none");
    command
        .add_option("--seq-len", options.eval.seq_len,
                    "Tokens per sequence of the data (the run's, or block_size)")
        ->check(CLI::Range(1, 1 << 24))
        ->excludes(tokens)
        ->excludes(prompt);
}

void add_batch_options(CLI::App& command, ProbeOptions& options) {
    command.add_option("--batches", options.eval.batches, "Batches of the data")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    command
        .add_option("--batch-size", options.eval.batch_size,
                    "Sequences per batch; all batches count the same")
        ->check(CLI::Range(1, 65536))
        ->capture_default_str();
    CLI::Option* repeat =
        command
            .add_option("--repeat", options.repeat,
                        "Probe N random tokens twice over, the usual test for induction")
            ->check(CLI::Range(1, 1 << 20));
    for (const char* other : {"--tokens", "--prompt", "--data", "--seq-len"})
        repeat->excludes(command.get_option(other));
    for (const char* one_sequence : {"--tokens", "--prompt"})
        for (const char* many : {"--batches", "--batch-size"})
            command.get_option(one_sequence)->excludes(command.get_option(many));
    command.add_option("--seed", options.repeat_seed, "Of --repeat's tokens")
        ->check(not_below_zero, "FROM 0")
        ->capture_default_str()
        ->needs(repeat);
}

void add_training_data_options(CLI::App& command, ProbeOptions& options) {
    for (const char* other : {"--tokens", "--prompt"})
        command.remove_option(command.get_option(other));
    command
        .add_option("--val-data", options.val_data,
                    "With --data: what the loss is measured on, a spec or split:F")
        ->capture_default_str()
        ->needs(command.get_option("--data"));
    command.add_option("--batch-size", options.train_batch_size, "Sequences per batch (the run's)")
        ->check(CLI::Range(1, 65536));
    command
        .add_option("--eval-batches", options.eval_batches,
                    "Validation batches (train.eval_batches of the run)")
        ->check(CLI::Range(1, 1000000));
}

std::string dashed(std::string name) {
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

template <class List>
void add_list(CLI::App& command, const ProbeOption& option, List& list) {
    const std::string standard =
        option.standard_text.empty() ? "" : " (" + option.standard_text + ")";
    command.add_option("--" + dashed(option.name), list, option.help + standard)->delimiter(',');
}

}  // namespace

void add_probe_options(CLI::App& command, const ProbeSchema& schema, ProbeOptions& options) {
    options.eval.batches = 1;
    if (schema.tokens != ProbeTokenUse::kTrainingData) options.eval.batch_size = schema.batch_size;
    command.add_option("RUN_DIR", options.run, "A run's folder, in place of --checkpoint");
    command.add_option("--step", options.step, "Which checkpoint of the run (the newest)")
        ->check(not_below_zero, "FROM 0");
    add_checkpoint_options(command, options.checkpoint);
    command.get_option("--checkpoint")->required(false);
    add_token_options(command, options);
    command
        .add_option("--precision", options.eval.precision,
                    "Of the forward pass: float32, float64 or bfloat16")
        ->capture_default_str();
    add_device_option(command, options.eval.device);
    command.add_option("--out", options.out, "HDF5 file to write (RUN_DIR/probes/KIND-step-N.h5)");
    CLI::Option* json = command.add_flag("--json", options.json, "Print one JSON document");
    command
        .add_flag("--stream", options.stream,
                  "Print a JSON object a line: how far it is, in the end the result")
        ->excludes(json);
    if (schema.tokens == ProbeTokenUse::kSequences) add_batch_options(command, options);
    if (schema.tokens == ProbeTokenUse::kTrainingData) add_training_data_options(command, options);
}

void add_kind_options(CLI::App& command, const ProbeSchema& schema, GivenProbeValues& given) {
    for (const ProbeOption& option : schema.options) {
        const std::string& name = option.name;
        const std::string flag = "--" + dashed(name);
        if (const bool* on = std::get_if<bool>(&option.standard)) {
            given.flags[name] = false;
            command.add_flag(*on ? "--no-" + dashed(name) : flag, given.flags[name],
                             *on ? "Leave out: " + option.help : option.help);
        } else if (const int64_t* number = std::get_if<int64_t>(&option.standard)) {
            given.wholes[name] = *number;
            command.add_option(flag, given.wholes[name], option.help)
                ->check(CLI::Range(static_cast<int64_t>(option.minimum),
                                   static_cast<int64_t>(option.maximum)))
                ->capture_default_str();
        } else if (std::holds_alternative<std::string>(option.standard)) {
            given.texts[name] = std::get<std::string>(option.standard);
            command.add_option(flag, given.texts[name], option.help);
        } else if (std::holds_alternative<std::vector<int64_t>>(option.standard)) {
            add_list(command, option, given.whole_lists[name]);
            command.get_option(flag)->check(not_below_zero, "FROM 0");
        } else {
            add_list(command, option, given.lists[name]);
        }
    }
}

ProbeValues GivenProbeValues::values(const ProbeSchema& schema) const {
    ProbeValues values = schema.standard_values();
    for (const ProbeOption& option : schema.options)
        if (const bool* on = std::get_if<bool>(&option.standard))
            values.set(option.name, flags.at(option.name) != *on);
    for (const auto& [name, number] : wholes) values.set(name, number);
    for (const auto& [name, text] : texts) values.set(name, text);
    for (const auto& [name, list] : whole_lists) values.set(name, list);
    for (const auto& [name, list] : lists) values.set(name, list);
    return values;
}

}  // namespace headroom
