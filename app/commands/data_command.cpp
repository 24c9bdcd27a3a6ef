#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/commands/data_fetch_command.h"
#include "app/data/data_card.h"
#include "app/data/inspect_data.h"
#include "app/data/prepare_jsonl.h"
#include "app/data/prepare_tokens.h"
#include "app/data/text_tokens.h"
#include "app/number_checks.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/printable.h"
#include "core/data/data_spec.h"
#include "core/data/tokenizer_spec.h"
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
    for (const DataSpecKind& info : data_spec_kinds())
        document["formats"].push_back({{"spec", info.form}, {"summary", info.summary}});
    for (const TokenizerSpecKind& info : tokenizer_spec_kinds())
        document["tokenizers"].push_back({{"spec", info.form}, {"summary", info.summary}});
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
    for (const DataSpecKind& info : data_spec_kinds())
        fmt::print("  {:<20} {}\n", info.form, info.summary);
    fmt::print("\ndata.tokenizer (for text:)\n");
    for (const TokenizerSpecKind& info : tokenizer_spec_kinds())
        fmt::print("  {:<20} {}\n", info.form, info.summary);
    fmt::print("\ntasks\n");
    for (const TaskInfo& task : list_tasks()) {
        fmt::print("  {:<20} {}\n", data_spec_text(DataSpec::Kind::kTask, task.name), task.summary);
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

void prepare(const PrepareOptions& options, JsonlOptions jsonl, bool json) {
    jsonl.tokenizer = options.tokenizer;
    jsonl.out = options.out;
    jsonl.format = options.format;
    jsonl.deduplicate = options.deduplicate;
    if (!jsonl.files.empty() && !options.separator.empty())
        throw UserError("--split-at does not go with --jsonl", "each line is a document");
    const PrepareResult result =
        jsonl.files.empty() ? prepare_tokens(options) : prepare_jsonl(jsonl);
    if (json) {
        nlohmann::ordered_json document = {{"out", options.out},
                                           {"format", result.format},
                                           {"tokenizer", result.tokenizer},
                                           {"vocab_size", result.vocab_size},
                                           {"documents", result.documents},
                                           {"bytes", result.bytes},
                                           {"tokens", result.tokens}};
        if (options.deduplicate) document["duplicates"] = result.duplicates;
        print(document);
        return;
    }
    fmt::print("{}: {} tokens of {} in {}, from {} documents with {} bytes\n", options.out,
               result.tokens, result.vocab_size, result.format, result.documents, result.bytes);
    if (options.deduplicate) fmt::print("{} duplicates left out\n", result.duplicates);
}

void add_prepare(CLI::App& data) {
    CLI::App* command = data.add_subcommand("prepare", "Turn text into a token file");
    const auto options = std::make_shared<PrepareOptions>();
    const auto json = std::make_shared<bool>(false);
    const auto jsonl = std::make_shared<JsonlOptions>();
    auto* from = command->add_option_group("source")->require_option(1);
    from->add_option("--text", options->text, "Text file, or a folder of them");
    from->add_option(
        "--jsonl", jsonl->files,
        "JSON Lines files, plain, .gz or .zst: streamed, and gone on from after a kill");
    CLI::Option* of_jsonl = command->get_option("--jsonl");
    command->add_option("--field", jsonl->field, "Key of the text in a line of --jsonl")
        ->capture_default_str()
        ->needs(of_jsonl);
    command->add_flag("--deduplicate", options->deduplicate,
                      "Of documents with the same text keep the first alone");
    command->add_option("--threads", jsonl->threads, "That cut --jsonl; 0: one a core, at most 8")
        ->check(CLI::Range(0, 256))
        ->needs(of_jsonl);
    command->add_option("--tokenizer", options->tokenizer, tokenizer_forms())->required();
    command->add_option("--out", options->out, "Token file to write")->required();
    command->add_option("--format", options->format, "nanogpt or llmc")->capture_default_str();
    command->add_option(
        "--split-at", options->separator,
        "Cut each file into documents wherever this text stands; white space at their "
        "ends is left out");
    command->add_flag("--json", *json, "Print one JSON document");
    command->callback([options, jsonl, json] { prepare(*options, *jsonl, *json); });
}

std::string hex(uint64_t hash) {
    return fmt::format("{:016x}", hash);
}

/// What a token reads as, or nothing without a tokenizer for it.
std::string piece_of(const Tokenizer* tokenizer, int32_t id) {
    if (tokenizer == nullptr || !tokenizer->knows(id)) return "";
    return tokenizer->decode({&id, 1});
}

ordered_json card_json(const DataCard& card, const Tokenizer* tokenizer) {
    ordered_json document{{"tokens", card.tokens},
                          {"counted", card.counted},
                          {"distinct", card.distinct},
                          {"most_frequent", ordered_json::array()}};
    for (const DataCard::Frequent& token : card.most_frequent)
        document["most_frequent"].push_back(
            {{"id", token.id}, {"count", token.count}, {"piece", piece_of(tokenizer, token.id)}});
    if (!card.origin) return document;
    const TokenOrigin& origin = *card.origin;
    document["documents"] = origin.documents;
    document["text_bytes"] = origin.text_bytes;
    document["bytes_per_token"] = origin.bytes_per_token();
    document["tokenizer"] = origin.tokenizer;
    document["checksum"] = origin.checksum;
    document["sources"] = origin.sources;
    if (origin.duplicates >= 0) document["duplicates"] = origin.duplicates;
    return document;
}

void print_origin(const TokenOrigin& origin, const Tokenizer* tokenizer) {
    fmt::print("{} documents, {} bytes of text, {:.3f} bytes per token; tokenizer {}; {}\n",
               origin.documents, origin.text_bytes, origin.bytes_per_token(),
               printable(origin.tokenizer), printable(origin.checksum));
    if (origin.duplicates >= 0) fmt::print("{} duplicates left out\n", origin.duplicates);
    for (const std::string& source : origin.sources) fmt::print("  from {}\n", printable(source));
    if (tokenizer == nullptr && !origin.reader_problem.empty())
        fmt::print("no texts: {}\n", printable(origin.reader_problem));
}

void print_card(const DataCard& card, const Tokenizer* tokenizer) {
    if (card.origin) print_origin(*card.origin, tokenizer);
    fmt::print("{} of the ids in {} tokens; the most frequent:\n", card.distinct, card.counted);
    for (const DataCard::Frequent& token : card.most_frequent)
        fmt::print("  {:>7} {:>6.2f} %{}\n", token.id,
                   100.0 * static_cast<double>(token.count) / static_cast<double>(card.counted),
                   tokenizer == nullptr
                       ? ""
                       : "  " + dump_text(ordered_json(piece_of(tokenizer, token.id))));
}

/// The spec of what reads the tokens: the asked one, or that of a token file's manifest; null where
/// they stand for no text.
ordered_json tokenizer_of(const InspectOptions& options, const DataReport& report) {
    if (!report.tokenizer) return nullptr;
    const std::string& asked = options.data.tokenizer;
    const bool is_of_file = report.card && report.card->origin && report.card->origin->reader &&
                            (asked == "byte" || asked == "char");
    return is_of_file ? report.card->origin->tokenizer : asked;
}

void print_report_json(const InspectOptions& options, const DataReport& report) {
    ordered_json document = {
        {"train", options.data.train},
        {"val", options.data.val},
        {"tokenizer", tokenizer_of(options, report)},
        {"description", report.description},
        {"vocab_size", report.vocab_size},
        {"seed", options.seed},
        {"batch_size", options.batch_size},
        {"seq_len", report.images ? ordered_json() : ordered_json(options.seq_len)},
        {"grad_accum", options.grad_accum},
        {"scored_targets", report.scored},
        {"sample", report.sample}};
    const auto count = [](int64_t tokens) {
        return tokens < 0 ? ordered_json() : ordered_json(tokens);
    };
    const std::string counted = report.images ? "images" : "tokens";
    document["train_" + counted] = count(report.train_tokens);
    document["val_" + counted] = count(report.val_tokens);
    if (report.card) document["card"] = card_json(*report.card, report.tokenizer.get());
    for (const uint64_t hash : report.train_hashes) document["train_hashes"].push_back(hex(hash));
    for (const uint64_t hash : report.eval_hashes) document["eval_hashes"].push_back(hex(hash));
    print(document);
}

void print_hashes(const DataReport& report) {
    for (size_t i = 0; i < report.train_hashes.size(); ++i)
        fmt::print("  step {:<3} {}   evaluation batch {:<3} {}\n", i + 1,
                   hex(report.train_hashes[i]), i, hex(report.eval_hashes[i]));
}

void print_report(const InspectOptions& options, const DataReport& report) {
    const auto count = [](int64_t tokens) {
        return tokens < 0 ? std::string("endless") : fmt::format("{}", tokens);
    };
    fmt::print("{}\n", report.description);
    if (report.images) {
        fmt::print(
            "{} classes, training images {}, validation images {}\n\nclasses of the first "
            "training batch: {}\n\nhashes for images of 32 pixels in patches of 4, seed {}, "
            "batch_size {}, grad_accum {}\n",
            report.vocab_size, report.train_tokens, report.val_tokens, report.sample, options.seed,
            options.batch_size, options.grad_accum);
        print_hashes(report);
        return;
    }
    fmt::print(
        "vocabulary {}, training tokens {}, validation tokens {}, {:.1f} % of the targets "
        "scored\n",
        report.vocab_size, count(report.train_tokens), count(report.val_tokens),
        100 * report.scored);
    if (report.card) print_card(*report.card, report.tokenizer.get());
    fmt::print("\nfirst training row{}:\n{}\n\n", report.sample_is_text ? "" : " (ids)",
               printable_lines(report.sample));
    fmt::print("hashes for seed {}, batch_size {}, seq_len {}, grad_accum {}\n", options.seed,
               options.batch_size, options.seq_len, options.grad_accum);
    print_hashes(report);
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
    command
        ->add_option("SPEC", options->data.train,
                     "text:, tokens:, hdf5:, task:, images: or mix: spec")
        ->required();
    command->add_option("--val", options->data.val, "Validation spec")->capture_default_str();
    command
        ->add_option("--tokenizer", options->data.tokenizer,
                     "Tokenizer; of a token file without "
                     "one that of its manifest")
        ->capture_default_str();
    command->add_option("--seed", options->seed, "Seed of the run")
        ->check(not_below_zero, "FROM 0")
        ->capture_default_str();
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

/// `headroom data (list|fetch|prepare|inspect|encode|decode)`: what data there are, sets loaded,
/// text into token files, a look into a data spec, and texts as ids.
void add_data_command(CLI::App& app) {
    CLI::App* data =
        app.add_subcommand("data", "List, load, prepare and inspect data; texts as token ids");
    data->require_subcommand(1);
    add_list(*data);
    add_data_fetch(*data);
    add_prepare(*data);
    add_inspect(*data);
    add_text_token_commands(*data);
}

}  // namespace headroom
