#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/describe/describe_text.h"
#include "app/describe/difference_text.h"
#include "app/describe/match_text.h"
#include "app/describe/model_source.h"
#include "app/dtype_option.h"
#include "app/eprint.h"
#include "core/account/compare_models.h"
#include "core/account/describe.h"
#include "core/account/match.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/config/job_keys.h"
#include "core/config/model_check.h"
#include "core/config/schema.h"
#include "core/weights/interop/layout.h"
#include "core/wiring/wiring_edit.h"

namespace headroom {
namespace {

using nlohmann::json;

struct DescribeArguments {
    std::string preset, job_file, checkpoint, dtype = "bf16";
    std::optional<std::string> against, match;
    std::string by = "params", vary;
    std::vector<std::string> sets, wires;
    std::optional<int64_t> seq_len;
    int64_t multiple_of = 1;
    bool as_json = false;
    bool keys = false;
};

DType cache_dtype(const std::string& text) {
    return dtype_option("--dtype", text, kHeldTypes, "hold keys and values");
}

void describe_alone(const DescribeArguments& options, ModelSource& source) {
    resolve_vocabularies(source);
    json document = describe_model(source.job.model, {.cache_dtype = cache_dtype(options.dtype),
                                                      .seq_len = options.seq_len.value_or(0)});
    document["name"] = source.title;
    if (!source.vocab_from.empty()) document["vocab_size_from"] = source.vocab_from;
    if (options.as_json)
        fmt::print("{}\n", dump_text(document));
    else
        print_description(source.title, source.job.model, document);
}

void print_named(json document, const ModelSource& model, const ModelSource& baseline) {
    document["name"] = model.title;
    document["baseline"] = baseline.title;
    fmt::print("{}\n", dump_text(document));
}

/// A preset that has no vocabulary of its own was counted with the other model's.
void note_vocabulary(const ModelSource& source, const ModelSource& lender) {
    if (source.vocab_from.starts_with("of ") && lender.vocab_from.empty())
        eprint(
            "note: {} is counted with the vocabulary {}; --set model.vocab_size={} says so "
            "elsewhere\n",
            source.title, source.vocab_from, source.job.model.vocab_size);
}

void describe_against(const DescribeArguments& options, ModelSource& source) {
    ModelSource baseline = ModelSource::read_either(*options.against, "--against");
    resolve_vocabularies(source, &baseline);
    const ModelDifference difference = compare_models(
        source.job.model, baseline.job.model,
        {.cache_dtype = cache_dtype(options.dtype), .seq_len = options.seq_len.value_or(0)});
    note_vocabulary(source, baseline);
    note_vocabulary(baseline, source);
    if (options.as_json)
        print_named(to_json(difference), source, baseline);
    else
        print_difference(source.title, baseline.title, difference);
}

void describe_match(const DescribeArguments& options, ModelSource& source, json document) {
    MatchRequest request{.measure = parse_match_measure(options.by),
                         .multiple_of = options.multiple_of,
                         .seq_len = options.seq_len.value_or(0),
                         .cache_dtype = cache_dtype(options.dtype)};
    if (!options.vary.empty()) request.vary = parse_match_key(options.vary);
    ModelSource baseline = ModelSource::read_either(*options.match, "--match");
    resolve_vocabularies(source, &baseline);
    document["model"]["vocab_size"] = source.job.model.vocab_size;
    const MatchResult result = match_baseline(document, baseline.job.model, request);
    note_vocabulary(source, baseline);
    note_vocabulary(baseline, source);
    if (options.as_json)
        print_named(to_json(result), source, baseline);
    else
        print_match(source.title, baseline.title, result);
}

/// Tries an idea: the model's table, changed line by line.
void edit_wiring(const std::vector<std::string>& lines, Job& job) {
    if (lines.empty()) return;
    ModelConfig& model = job.model;
    model.wiring =
        edited(model.wiring, lines, model.wiring_choice,
               job.train.init_convert == "rewire" ? EditFor::kWeights : EditFor::kNewModel);
    model.custom_wiring = true;
    check_model(model);
}

void describe(const DescribeArguments& options) {
    if (options.keys) {
        fmt::print("{}", key_table_markdown());
        return;
    }
    json document;
    ModelSource source =
        options.checkpoint.empty()
            ? ModelSource::read(options.preset, options.job_file, options.sets, document)
            : ModelSource::read_checkpoint(options.checkpoint, options.sets, document);
    edit_wiring(options.wires, source.job);
    for (const std::string& ignored : ignored_keys(source.job)) eprint("warning: {}\n", ignored);
    if (options.match)
        describe_match(options, source, std::move(document));
    else if (options.against)
        describe_against(options, source);
    else
        describe_alone(options, source);
}

void add_baseline_options(CLI::App& command, const std::shared_ptr<DescribeArguments>& options) {
    auto* against =
        command.add_option("--against", options->against,
                           "BASELINE: a preset, job file or checkpoint to set side by side with");
    auto* match = command
                      .add_option("--match", options->match,
                                  "BASELINE, the same: find sizes that make a count equal to its")
                      ->excludes(against)
                      ->excludes("--wire");
    command
        .add_option("--by", options->by,
                    "What to make equal: params, non-embedding, flops or cache")
        ->capture_default_str()
        ->needs(match);
    command
        .add_option(
            "--vary", options->vary,
            "What may change: d_ff, d_model, n_layer, n_head or n_kv_head (default: each in turn)")
        ->needs(match);
    command
        .add_option("--multiple-of", options->multiple_of, "Only values that N divides, such as 64")
        ->check(CLI::Range(int64_t{1}, int64_t{4096}))
        ->needs(match);
}

}  // namespace

/// `headroom describe (--preset NAME | --job FILE) [--set KEY=VALUE]... [--dtype D] [--seq N]
/// [--json]`: what a model has, costs and caches, without building it. `--against BASELINE` sets
/// two models side by side; `--match BASELINE [--by MEASURE] [--vary KEY] [--multiple-of N]` solves
/// for the size that makes a count equal. `--keys` prints the table of all job keys instead.
void add_describe_command(CLI::App& app) {
    CLI::App* command = app.add_subcommand(
        "describe",
        "Count a model's parameters, FLOPs and cache bytes; compare and match two models");
    const auto options = std::make_shared<DescribeArguments>();
    auto* preset =
        command->add_option("--preset", options->preset, "A model that `headroom presets` lists");
    auto* job = command->add_option("--job", options->job_file, "A job file");
    command
        ->add_option("--checkpoint", options->checkpoint,
                     "A checkpoint of headroom, " + layout_titles())
        ->excludes(preset)
        ->excludes(job);
    command->add_option("--set", options->sets, "KEY=VALUE: change a key of the job file")
        ->take_all()
        ->allow_extra_args(false);
    command
        ->add_option(
            "--wire", options->wires,
            "EDIT of the wiring, such as \"values 4-7 read 1\": keys, values or both; "
            "LAYERS or LAYERS.HEADS (a number, a range or *); then own, nothing, read L[.H], "
            "add L[.H] [WEIGHT], weigh L[.H] WEIGHT, drop L[.H], copy L[-L], mirror, reverse or "
            "rule NAME. L is a layer, or own; WEIGHT is a number, lambda or 1-lambda; layers and "
            "heads count from 0. The table is in --json's model.wiring")
        ->take_all()
        ->allow_extra_args(false);
    command->add_option("--dtype", options->dtype, "Number type of the cache (bf16, f16, f32)")
        ->capture_default_str();
    command->add_option("--seq", options->seq_len, "Tokens to count attention over (block_size)")
        ->check(CLI::Range(int64_t{1}, int64_t{1} << 30));
    add_baseline_options(*command, options);
    command->add_flag("--json", options->as_json, "Print one JSON document");
    command->add_flag("--keys", options->keys, "Print the table of all job keys as Markdown");
    command->callback([options] { describe(*options); });
}

}  // namespace headroom
