#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/describe/memory_text.h"
#include "app/describe/model_source.h"
#include "app/dtype_option.h"
#include "app/job_loading.h"
#include "app/word_check.h"
#include "core/account/memory_ledger.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/train/predict_memory.h"
#include "core/weights/interop/layout.h"

namespace headroom {
namespace {

using nlohmann::json;

struct MemoryOptions {
    std::string preset, job_file, checkpoint, use = "both";
    std::vector<std::string> sets;
    std::optional<int64_t> batch_size, context;
    std::optional<std::string> dtype;
    bool measure = false, as_json = false;
};

std::vector<MemoryUse> wanted_uses(const std::string& word) {
    if (word == "training" || word == "train") return {MemoryUse::kTraining};
    if (word == "inference") return {MemoryUse::kInference};
    return {MemoryUse::kTraining, MemoryUse::kInference};
}

MemoryReport report_of(const MemoryOptions& options, const Job& job, MemoryUse use) {
    MemoryRequest request = memory_request(job, use);
    if (options.batch_size) request.batch_size = *options.batch_size;
    if (options.context) request.context = *options.context;
    if (options.dtype) request.precision = computed_type_option("--dtype", *options.dtype);
    MemoryReport report = memory_report(std::move(request));
    if (use == MemoryUse::kTraining)
        report.largest_probe = predict_largest_probe(trained_job(report.request));
    if (options.measure) {
        const auto device = open_device("cpu");
        measure_memory(report, *device);
    }
    return report;
}

void account(const MemoryOptions& options) {
    const std::vector<MemoryUse> uses = wanted_uses(options.use);
    json unused;
    ModelSource source =
        options.checkpoint.empty()
            ? ModelSource::read(options.preset, options.job_file, options.sets, unused)
            : ModelSource::read_checkpoint(options.checkpoint, options.sets, unused);
    resolve_vocabularies(source);
    json document{{"name", source.title}, {"ledgers", json::array()}};
    if (!source.vocab_from.empty()) document["vocab_size_from"] = source.vocab_from;
    for (const MemoryUse use : uses) {
        const MemoryReport report = report_of(options, source.job, use);
        if (options.as_json)
            document["ledgers"].push_back(to_json(report));
        else
            print_memory(source.title, report);
    }
    if (options.as_json) fmt::print("{}\n", dump_text(document));
}

}  // namespace

/// `headroom memory (--preset NAME | --job FILE | --checkpoint FILE)`: the memory ledger.
void add_memory_command(CLI::App& app) {
    CLI::App* command = app.add_subcommand(
        "memory", "The ledger of where memory goes in training and inference: predicted, measured");
    const auto o = std::make_shared<MemoryOptions>();
    auto* preset =
        command->add_option("--preset", o->preset, "A model that `headroom presets` lists");
    auto* job = command->add_option("--job", o->job_file, "A job file");
    command
        ->add_option("--checkpoint", o->checkpoint, "A checkpoint of headroom, " + layout_titles())
        ->excludes(preset)
        ->excludes(job);
    command->add_option("--set", o->sets, "KEY=VALUE: change a key of the job file")
        ->take_all()
        ->allow_extra_args(false);
    command->add_option("--for", o->use, "training, inference or both")
        ->check(one_of({"train", "training", "inference", "both"}))
        ->capture_default_str();
    command
        ->add_option("--batch", o->batch_size,
                     "Sequences (training: train.batch_size; inference: 1)")
        ->check(CLI::Range(int64_t{1}, kMostMemoryBatch));
    command
        ->add_option("--context", o->context,
                     "Tokens of each (training: train.seq_len; inference: block_size)")
        ->check(CLI::Range(int64_t{1}, kMostMemoryContext));
    command->add_option("--dtype", o->dtype, "f32, f64 or bf16 (the job's precision)");
    command->add_flag("--measure", o->measure,
                      "Allocate it, run one pass and count what is really held");
    command->add_flag("--json", o->as_json, "Print one JSON document");
    command->callback([o] { account(*o); });
}

}  // namespace headroom
