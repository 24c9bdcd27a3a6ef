#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/data/inspect_data.h"
#include "app/data/prepare_tokens.h"
#include "app/data/text_tokens.h"
#include "core/base/json_text.h"
#include "datasets/data_spec.h"
#include "datasets/tasks/task.h"
#include "datasets/tokenizers/tokenizer.h"

namespace headroom {
namespace {

using nlohmann::ordered_json;

void print(const ordered_json& document) {
    fmt::print("{}\n", dump_text(document, 2));
}

void print_list_json() {
    ordered_json document;
    for (const SpecInfo& info : list_data_specs())
        document["formats"].push_back({{"spec", info.spec}, {"summary", info.summary}});
    for (const TokenizerInfo& info : list_tokenizers())
        document["tokenizers"].push_back({{"spec", info.spec}, {"summary", info.summary}});
    for (const TaskInfo& task : list_tasks()) {
        ordered_json options = ordered_json::array();
        for (const TaskOption& option : task.options)
            options.push_back({{"key", option.key},
                               {"default", option.value},
                               {"least", option.least},
                               {"most", option.most},
                               {"meaning", option.meaning}});
        document["tasks"].push_back(
            {{"name", task.name}, {"summary", task.summary}, {"options", options}});
    }
    print(document);
}

void print_list() {
    fmt::print("data.train and data.val\n");
    for (const SpecInfo& info : list_data_specs())
        fmt::print("  {:<20} {}\n", info.spec, info.summary);
    fmt::print("\ndata.tokenizer (for text:)\n");
    for (const TokenizerInfo& info : list_tokenizers())
        fmt::print("  {:<20} {}\n", info.spec, info.summary);
    fmt::print("\ntasks\n");
    for (const TaskInfo& task : list_tasks()) {
        fmt::print("  {:<20} {}\n", "task:" + task.name, task.summary);
        for (const TaskOption& option : task.options)
            fmt::print("    {:<18} {}, from {} to {}; {} if not given\n", option.key,
                       option.meaning, option.least, option.most, option.value);
    }
}

void add_list(CLI::App& data) {
    CLI::App* command = data.add_subcommand("list", "Show formats, tokenizers and built-in tasks");
    const auto json = std::make_shared<bool>(false);
    command->add_flag("--json", *json, "Print one JSON document");
    command->callback([json] { *json ? print_list_json() : print_list(); });
}

void prepare(const PrepareOptions& options, bool json) {
    const PrepareResult result = prepare_tokens(options);
    if (json) {
        print({{"out", options.out},
               {"format", result.format},
               {"tokenizer", result.tokenizer},
               {"vocab_size", result.vocab_size},
               {"documents", result.documents},
               {"bytes", result.bytes},
               {"tokens", result.tokens}});
        return;
    }
    fmt::print("{}: {} tokens of {} in {}, from {} documents with {} bytes\n", options.out,
               result.tokens, result.vocab_size, result.format, result.documents, result.bytes);
}

void add_prepare(CLI::App& data) {
    CLI::App* command = data.add_subcommand("prepare", "Turn text into a token file");
    const auto options = std::make_shared<PrepareOptions>();
    const auto json = std::make_shared<bool>(false);
    command->add_option("--text", options->text, "Text file, or a folder of them")->required();
    command
        ->add_option("--tokenizer", options->tokenizer,
                     "byte, char, gpt2:FOLDER, json:FILE or sp:FILE")
        ->required();
    command->add_option("--out", options->out, "Token file to write")->required();
    command->add_option("--format", options->format, "nanogpt or llmc")->capture_default_str();
    command->add_option("--split-at", options->separator,
                        "Cut each file into documents wherever this text stands");
    command->add_flag("--json", *json, "Print one JSON document");
    command->callback([options, json] { prepare(*options, *json); });
}

std::string hex(uint64_t hash) {
    return fmt::format("{:016x}", hash);
}

void print_report_json(const InspectOptions& options, const DataReport& report) {
    ordered_json document = {{"train", options.data.train},
                             {"val", options.data.val},
                             {"tokenizer", options.data.tokenizer},
                             {"description", report.description},
                             {"vocab_size", report.vocab_size},
                             {"seed", options.seed},
                             {"batch_size", options.batch_size},
                             {"seq_len", options.seq_len},
                             {"grad_accum", options.grad_accum},
                             {"scored_targets", report.scored},
                             {"sample", report.sample}};
    const auto count = [](int64_t tokens) {
        return tokens < 0 ? ordered_json() : ordered_json(tokens);
    };
    document["train_tokens"] = count(report.train_tokens);
    document["val_tokens"] = count(report.val_tokens);
    for (const uint64_t hash : report.train_hashes) document["train_hashes"].push_back(hex(hash));
    for (const uint64_t hash : report.eval_hashes) document["eval_hashes"].push_back(hex(hash));
    print(document);
}

/// Control characters would reach the terminal; only line ends and tabs may.
std::string printable(const std::string& text) {
    std::string safe;
    for (const char c : text) {
        const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
        if (is_control && c != '\n' && c != '\t') {
            safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        } else {
            safe += c;
        }
    }
    return safe;
}

void print_report(const InspectOptions& options, const DataReport& report) {
    const auto count = [](int64_t tokens) {
        return tokens < 0 ? std::string("endless") : fmt::format("{}", tokens);
    };
    fmt::print("{}\n", report.description);
    fmt::print(
        "vocabulary {}, training tokens {}, validation tokens {}, {:.1f} % of the targets "
        "scored\n",
        report.vocab_size, count(report.train_tokens), count(report.val_tokens),
        100 * report.scored);
    fmt::print("\nfirst training row{}:\n{}\n\n", report.sample_is_text ? "" : " (ids)",
               printable(report.sample));
    fmt::print("hashes for seed {}, batch_size {}, seq_len {}, grad_accum {}\n", options.seed,
               options.batch_size, options.seq_len, options.grad_accum);
    for (size_t i = 0; i < report.train_hashes.size(); ++i)
        fmt::print("  step {:<3} {}   evaluation batch {:<3} {}\n", i + 1,
                   hex(report.train_hashes[i]), i, hex(report.eval_hashes[i]));
}

void inspect(const InspectOptions& options, bool json) {
    const DataReport report = inspect_data(options);
    json ? print_report_json(options, report) : print_report(options, report);
}

void add_inspect(CLI::App& data) {
    CLI::App* command = data.add_subcommand("inspect", "Look at data as a run would see them");
    const auto options = std::make_shared<InspectOptions>();
    const auto json = std::make_shared<bool>(false);
    const TrainConfig defaults;
    options->batch_size = defaults.batch_size;
    options->seq_len = defaults.seq_len;
    command->add_option("SPEC", options->data.train, "text:, tokens: or task: spec")->required();
    command->add_option("--val", options->data.val, "Validation spec")->capture_default_str();
    command->add_option("--tokenizer", options->data.tokenizer, "Tokenizer")->capture_default_str();
    command->add_option("--seed", options->seed, "Seed of the run")->capture_default_str();
    const auto add_size = [&](const char* name, int64_t& value, const char* help) {
        command->add_option(name, value, help)
            ->check(CLI::Range(int64_t{1}, int64_t{1} << 20))
            ->capture_default_str();
    };
    add_size("--batch-size", options->batch_size, "Rows of a micro-batch");
    add_size("--seq-len", options->seq_len, "Tokens of a row");
    add_size("--grad-accum", options->grad_accum, "Micro-batches of a step");
    add_size("--batches", options->batches, "Batches to hash");
    command->add_flag("--json", *json, "Print one JSON document");
    command->callback([options, json] { inspect(*options, *json); });
}

}  // namespace

/// `headroom data (list|prepare|inspect|encode|decode)`: what data there are, text into token
/// files, a look into a data spec, and texts as ids.
void add_data_command(CLI::App& app) {
    CLI::App* data =
        app.add_subcommand("data", "List, prepare and inspect data; texts as token ids");
    data->require_subcommand(1);
    add_list(*data);
    add_prepare(*data);
    add_inspect(*data);
    add_text_token_commands(*data);
}

}  // namespace headroom
