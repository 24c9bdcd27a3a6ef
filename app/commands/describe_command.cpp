#include "app/commands/describe_command.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/job_loading.h"
#include "app/vocabulary.h"
#include "core/account/describe.h"
#include "core/base/digits.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "core/config/schema.h"
#include "core/config/set_key.h"

namespace headroom {
namespace {

using nlohmann::json;

struct Options {
    std::string preset, job_file, dtype = "bf16";
    std::vector<std::string> sets;
    std::optional<int64_t> seq_len;
    bool as_json = false;
    bool keys = false;
};

Job read_job(const Options& options) {
    if (options.preset.empty() == options.job_file.empty())
        throw UserError("describe needs a model", "give either --preset NAME or --job FILE");
    const bool preset = !options.preset.empty();
    json document =
        preset ? json{{"model", {{"preset", options.preset}}}} : load_json(options.job_file);
    apply_sets(document, options.sets);
    Job job = parse_job(document, preset ? "" : options.job_file);
    if (!preset)
        make_paths_absolute(job.data, std::filesystem::path(options.job_file).parent_path());
    return job;
}

DType cache_dtype(const std::string& text) {
    const DType dtype = parse_dtype(text);
    if (dtype != DType::kF32 && dtype != DType::kBF16 && dtype != DType::kF16 &&
        dtype != DType::kF64)
        throw UserError(fmt::format("--dtype {} cannot hold keys and values", text),
                        "use bf16, f16, f32 or f64");
    return dtype;
}

void print_layers(const json& document) {
    fmt::print("\n{:>5} {:>14} {:>10} {:>12} {:>15}\n", "layer", "parameters", "key heads",
               "value heads", "cache bytes");
    for (const json& layer : document["layers"])
        fmt::print("{:>5} {:>14} {:>10} {:>12} {:>15}\n", layer["layer"].get<int64_t>(),
                   grouped_digits(layer["params"]), layer["own_key_heads"].get<int64_t>(),
                   layer["own_value_heads"].get<int64_t>(),
                   grouped_digits(layer["kv_bytes_per_token"]));
}

void print_text(const std::string& title, const ModelConfig& model, const json& document) {
    const auto digits = [&](const char* key) { return grouped_digits(document.at(key)); };
    fmt::print(
        "{}: {}, {} layers, {} heads of {}{}, d_model {}, d_ff {}, vocabulary {}\n", title,
        model.arch, model.n_layer, model.n_head, model.d_head,
        model.n_kv_head == model.n_head ? "" : fmt::format(" ({} key/value)", model.n_kv_head),
        model.d_model, model.d_ff, model.vocab_size);
    if (document.contains("vocab_size_from"))
        fmt::print("{:<18}{}\n", "vocabulary", document["vocab_size_from"].get<std::string>());
    fmt::print("{:<18}{}; {} without embeddings\n", "parameters", digits("params_total"),
               digits("params_non_embedding"));
    fmt::print("{:<18}{} in training over {} tokens, {} forward (causal half not subtracted)\n",
               "FLOPs per token", digits("flops_per_token"), digits("seq_len"),
               digits("flops_per_token_forward"));
    const double saved = document["kv_saved_share"];
    fmt::print("{:<18}{} bytes per token in {}{}\n", "KV cache", digits("kv_bytes_per_token"),
               document["kv_dtype"].get<std::string>(),
               saved > 0 ? fmt::format("; sharing saves {:.2f} %", 100.0 * saved) : "");
    if (!document["trainable"].get<bool>())
        fmt::print("{:<18}{}\n", "not trainable",
                   document["not_trainable_because"].get<std::string>());
    print_layers(document);
}

void describe(const Options& options) {
    if (options.keys) {
        fmt::print("{}", key_table_markdown());
        return;
    }
    Job job = read_job(options);
    const std::string vocab_from = resolve_vocabulary(job, !options.preset.empty());
    json document = describe_model(job.model, {.cache_dtype = cache_dtype(options.dtype),
                                               .seq_len = options.seq_len.value_or(0)});
    const std::string title = options.preset.empty() ? job.name : options.preset;
    document["name"] = title;
    if (!vocab_from.empty()) document["vocab_size_from"] = vocab_from;
    if (options.as_json)
        fmt::print("{}\n", document.dump());
    else
        print_text(title, job.model, document);
}

}  // namespace

void add_describe_command(CLI::App& app) {
    CLI::App* command =
        app.add_subcommand("describe", "Count a model's parameters, FLOPs and cache bytes");
    const auto options = std::make_shared<Options>();
    command->add_option("--preset", options->preset, "A model that `headroom presets` lists");
    command->add_option("--job", options->job_file, "A job file");
    command->add_option("--set", options->sets, "KEY=VALUE: change a key of the job file")
        ->take_all()
        ->allow_extra_args(false);
    command->add_option("--dtype", options->dtype, "Number type of the cache (bf16, f16, f32)")
        ->capture_default_str();
    command->add_option("--seq", options->seq_len, "Tokens to count attention over (block_size)")
        ->check(CLI::Range(int64_t{1}, int64_t{1} << 30));
    command->add_flag("--json", options->as_json, "Print one JSON document");
    command->add_flag("--keys", options->keys, "Print the table of all job keys as Markdown");
    command->callback([options] { describe(*options); });
}

}  // namespace headroom
