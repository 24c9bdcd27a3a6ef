#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/vocabulary.h"
#include "core/account/kv_cache.h"
#include "core/account/parameter_count.h"
#include "core/base/digits.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "core/config/presets.h"

namespace headroom {
namespace {

using nlohmann::json;

struct CountedPreset {
    const Preset* preset;
    ModelConfig model;
    bool vocab_assumed;
    ParameterCount params;
    int64_t cache_bytes;  ///< per token, bfloat16
};

CountedPreset counted(const Preset& preset) {
    Job job = preset_job(preset.name);
    const bool assumed = !resolve_vocabulary(job, true).empty();
    return {&preset, job.model, assumed, count_parameters(job.model),
            count_cache(job.model).bytes_per_token(DType::kBF16)};
}

void print_json() {
    json list = json::array();
    for (const Preset& preset : presets()) {
        const CountedPreset c = counted(preset);
        list.push_back({{"name", preset.name},
                        {"help", preset.help},
                        {"group", preset.group},
                        {"source", preset.source},
                        {"arch", c.model.arch},
                        {"n_layer", c.model.n_layer},
                        {"n_head", c.model.n_head},
                        {"n_kv_head", c.model.n_kv_head},
                        {"d_model", c.model.d_model},
                        {"d_ff", c.model.d_ff},
                        {"block_size", c.model.block_size},
                        {"vocab_size", c.model.vocab_size},
                        {"vocab_size_assumed", c.vocab_assumed},
                        {"params_total", c.params.total},
                        {"params_active", c.params.active},
                        {"params_non_embedding", c.params.non_embedding},
                        {"kv_bytes_per_token", c.cache_bytes}});
    }
    fmt::print("{}\n", dump_text(json{{"presets", std::move(list)}}, 1));
}

void print_table() {
    fmt::print("{:<32} {:>13} {:>15} {:>9}\n", "preset", "parameters", "non-embedding", "KV bytes");
    const Preset* before = nullptr;
    for (const Preset& preset : presets()) {
        if (before == nullptr || before->group != preset.group) fmt::print("\n{}\n", preset.group);
        if (before == nullptr || before->source != preset.source)
            fmt::print("  from {}:\n", preset.source);
        before = &preset;
        const CountedPreset c = counted(preset);
        fmt::print("{:<32} {:>13} {:>15} {:>9}  {}\n", preset.name,
                   grouped_digits(c.params.total) + (c.vocab_assumed ? "*" : ""),
                   grouped_digits(c.params.non_embedding), grouped_digits(c.cache_bytes),
                   preset.help);
    }
    fmt::print(
        "\nKV bytes: per token in bfloat16. * with a byte vocabulary; the data decide in a job.\n"
        "Any other variant at these sizes: --set model.arch=NAME, such as resformer or yoco.\n");
}

}  // namespace

/// `headroom presets [--json]`: every preset with its counts.
void add_presets_command(CLI::App& app) {
    CLI::App* command = app.add_subcommand("presets", "List the model presets with their counts");
    const auto as_json = std::make_shared<bool>(false);
    command->add_flag("--json", *as_json, "Print one JSON document");
    command->callback([as_json] { *as_json ? print_json() : print_table(); });
}

}  // namespace headroom
