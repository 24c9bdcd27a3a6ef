#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/checkpoint_loading.h"
#include "app/eprint.h"
#include "app/progress_line.h"
#include "app/stored_type_option.h"
#include "core/account/parameter_count.h"
#include "core/base/digits.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/data/tokenizer_spec.h"
#include "core/weights/checkpoint_weights.h"
#include "core/weights/save_weights.h"
#include "datasets/tokenizers/bpe_vocabulary.h"
#include "datasets/tokenizers/plain_tokenizer_json.h"

namespace headroom {

void add_uptrain_command(CLI::App& convert);  // uptrain_command.cpp

namespace {

struct ConvertArguments {
    std::string from, out, dtype = "keep";
    OpenWeightsOptions options;
    std::string target;  ///< export: the layout to write
    bool json = false;
};

void print_messages(const char* kind, const std::vector<std::string>& messages) {
    for (const std::string& message : messages) eprint("{}: {}\n", kind, message);
}

void report(const ConvertArguments& arguments, const CheckpointWeights& weights,
            const std::string& format, const std::vector<std::string>& warnings) {
    print_messages("note", weights.notes());
    print_messages("warning", warnings);
    const int64_t parameters = count_parameters(weights.config()).total;
    if (arguments.json) {
        const nlohmann::ordered_json document = {{"out", arguments.out},
                                                 {"from_format", weights.format()},
                                                 {"format", format},
                                                 {"params_total", parameters},
                                                 {"tensors", weights.specs().size()},
                                                 {"notes", weights.notes()},
                                                 {"warnings", warnings}};
        fmt::print("{}\n", dump_text(document, 2));
        return;
    }
    fmt::print("{}: {} to {}, {} parameters\n", arguments.out, weights.format(), format,
               grouped_digits(parameters));
}

/// "nanogpt, hf-gpt2, ..."
std::string layout_names() {
    std::vector<std::string_view> names;
    for (const Layout& layout : layouts()) names.push_back(layout.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

/// The tokenizer beside the weights, as a checkpoint names it; nothing where there is none, or
/// none that is read here.
std::map<std::string, std::string> tokenizer_entry(const CheckpointWeights& weights) {
    const std::string spec = tokenizer_beside(std::filesystem::absolute(weights.title()));
    if (spec.empty()) return {};
    try {
        return {{"tokenizer", dump_text(open_tokenizer(spec, "")->to_json())}};
    } catch (const UserError& error) {
        eprint("note: the tokenizer is not taken along: {}\n", error.what());
        return {};
    }
}

/// That of the weights; null, and a note, where there is none that is read here.
std::shared_ptr<const Tokenizer> tokenizer_to_take(const CheckpointWeights& weights) {
    try {
        return checkpoint_tokenizer(weights, "");
    } catch (const UserError& error) {
        eprint("note: the tokenizer is not taken along: {}\n", error.what());
        return nullptr;
    }
}

/// What generation begins and ends with.
std::map<std::string, int64_t> token_ids_of(const Tokenizer* tokenizer, int64_t vocab_size) {
    std::map<std::string, int64_t> ids;
    if (!tokenizer) return ids;
    const std::vector<int32_t> before = tokenizer->tokens_before();
    const int64_t end = end_of_text(*tokenizer);
    if (!before.empty() && before.front() < vocab_size) ids["bos_token_id"] = before.front();
    if (end >= 0 && end < vocab_size) ids["eos_token_id"] = end;
    return ids;
}

/// Its files by the names that Hugging Face looks for, and what is in them. None, and a note, where
/// they cannot be read.
std::map<std::string, std::string> tokenizer_files(const Tokenizer* tokenizer) try {
    if (!tokenizer) return {};
    const TokenizerSpec spec = parse_tokenizer_spec(tokenizer->name());
    const std::filesystem::path path = spec.path;
    if (spec.kind == TokenizerSpec::Kind::kJson) return {{"tokenizer.json", read_text(path)}};
    if (spec.kind == TokenizerSpec::Kind::kSentencePiece)
        return {{"tokenizer.model", read_text(path)}};
    if (spec.kind != TokenizerSpec::Kind::kGpt2)
        return {{"tokenizer.json", plain_tokenizer_json(*tokenizer)}};
    const Gpt2Files files = gpt2_files(path);
    return {{"vocab.json", read_text(files.ids)}, {"merges.txt", read_text(files.merges)}};
} catch (const UserError& error) {
    eprint("note: the tokenizer is not taken along: {}\n", error.what());
    return {};
}

/// Into a folder of the model's own; beside other files only where none is called so.
void write_tokenizer_files(const std::map<std::string, std::string>& files,
                           const std::filesystem::path& out) {
    const bool is_own = out.extension() != ".safetensors";
    const std::filesystem::path folder = is_own ? out : out.parent_path();
    for (const auto& [name, text] : files) {
        std::error_code ignored;
        if (is_own || !std::filesystem::exists(folder / name, ignored))
            write_file_atomically(folder / name, text);
        else if (read_text(folder / name) != text)
            eprint("note: {} is another model's and stays\n", (folder / name).string());
    }
}

void import_weights(const ConvertArguments& arguments) {
    check_not_checkpoint(arguments.out, arguments.from);
    ProgressLine line;
    const CheckpointWeights weights = CheckpointWeights::open(arguments.from, arguments.options);
    const SaveOptions options{stored_type_option(arguments.dtype),
                              [&](double share) { line.show(share); }, tokenizer_entry(weights)};
    const std::vector<std::string> warnings = save_weights(weights, arguments.out, options);
    line.clear();
    report(arguments, weights, "headroom", warnings);
}

void export_weights(const ConvertArguments& arguments) {
    ProgressLine line;
    const Layout& layout = find_layout(arguments.target);
    const CheckpointWeights weights =
        CheckpointWeights::open(checkpoint_file(arguments.from), arguments.options);
    check_not_checkpoint(arguments.out, weights.title());
    const auto tokenizer = layout.is_folder ? tokenizer_to_take(weights) : nullptr;
    const auto files = tokenizer_files(tokenizer.get());
    const SaveOptions options{
        .type = stored_type_option(arguments.dtype),
        .progress = [&](double share) { line.show(share); },
        .token_ids = token_ids_of(tokenizer.get(), weights.config().vocab_size)};
    const std::vector<std::string> warnings =
        save_in_layout(weights, layout, arguments.out, options);
    write_tokenizer_files(files, arguments.out);
    line.clear();
    report(arguments, weights, std::string(layout.name), warnings);
}

void add_common(CLI::App& command, ConvertArguments& arguments) {
    command.add_option("--dtype", arguments.dtype, "keep, f32, f64, bf16 or f16")
        ->capture_default_str();
    command
        .add_option("--set", arguments.options.sets,
                    "model.KEY=VALUE: what another tool's files leave open or say wrongly")
        ->take_all()
        ->allow_extra_args(false);
    command.add_option("--config", arguments.options.config,
                       "Read this instead of the config.json beside the weights");
    command.add_flag("--json", arguments.json, "Print one JSON document");
}

void add_import(CLI::App& convert) {
    CLI::App* command = convert.add_subcommand(
        "import", "Turn another tool's safetensors into a checkpoint of headroom");
    const auto arguments = std::make_shared<ConvertArguments>();
    command->add_option("--from", arguments->from, "File, index file or folder")->required();
    command
        ->add_option("--format", arguments->options.format,
                     fmt::format("auto, headroom, {}", layout_names()))
        ->capture_default_str();
    command->add_option("--out", arguments->out, "Checkpoint file to write")->required();
    add_common(*command, *arguments);
    command->callback([arguments] { import_weights(*arguments); });
}

void add_export(CLI::App& convert) {
    CLI::App* command =
        convert.add_subcommand("export", "Write a checkpoint as another tool reads it");
    const auto arguments = std::make_shared<ConvertArguments>();
    command
        ->add_option("--checkpoint", arguments->from, "Checkpoint, or a run's folder for its last")
        ->required();
    command->add_option("--format", arguments->target, layout_names())->required();
    command
        ->add_option("--out", arguments->out,
                     "Folder to write, or FILE.safetensors (nanogpt: a file)")
        ->required();
    add_common(*command, *arguments);
    command->callback([arguments] { export_weights(*arguments); });
}

}  // namespace

/// `headroom convert import|export|uptrain`.
void add_convert_command(CLI::App& app) {
    CLI::App* convert = app.add_subcommand(
        "convert", "Import and export other tools' checkpoints; uptraining conversions");
    convert->require_subcommand(1);
    add_import(*convert);
    add_export(*convert);
    add_uptrain_command(*convert);
}

}  // namespace headroom
