#include "app/commands/bench_decode_command.h"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/job_loading.h"
#include "core/base/error.h"
#include "core/bench/decode_bench.h"
#include "core/bench/memory_rate.h"
#include "core/config/job_json.h"
#include "core/config/set_key.h"

namespace headroom {
namespace {

using nlohmann::ordered_json;

struct Arguments {
    std::vector<std::string> presets{"gpt2-124m"}, archs{"gpt2", "skipv1"}, sets;
    std::vector<int64_t> batch_sizes{1, 8, 16}, contexts{512};
    std::string dtype = "f32", device = "auto";
    int64_t new_tokens = 32;
    int rounds = 3;
    bool json = false;
};

struct Contender {
    std::string name;
    ModelConfig model;
};

/// Every preset as every architecture, with room for the longest context.
std::vector<Contender> contenders(const Arguments& arguments) {
    std::vector<Contender> list;
    int64_t longest = 0;
    for (const int64_t context : arguments.contexts)
        longest = std::max(longest, context + arguments.new_tokens);
    for (const std::string& preset : arguments.presets)
        for (const std::string& arch : arguments.archs) {
            ordered_json given{{"model", {{"preset", preset}, {"arch", arch}}}};
            nlohmann::json document = given;
            apply_sets(document, arguments.sets);
            nlohmann::json& model = document["model"];
            if (!model.contains("block_size")) model["block_size"] = longest;
            if (!model.contains("vocab_size")) model["vocab_size"] = 50304;
            list.push_back({preset + " " + arch, parse_job(document, "").model});
        }
    return list;
}

ordered_json row_of(const std::string& name, const DecodeBenchOptions& options,
                    const DecodeBench& bench, double memory_rate) {
    const double rate = bench.bytes_per_step / bench.step_seconds;
    return {{"model", name},
            {"dtype", std::string(name_of(options.precision))},
            {"batch_size", options.batch_size},
            {"context", options.context},
            {"prefill_ms_per_100_tokens", bench.prefill_ms_per_100_tokens},
            {"tokens_per_second", bench.tokens_per_second},
            {"step_ms", 1e3 * bench.step_seconds},
            {"bytes_per_step", bench.bytes_per_step},
            {"share_of_memory_rate", rate / memory_rate},
            {"weight_bytes", bench.weight_bytes},
            {"cache_bytes", bench.cache_bytes},
            {"predicted_cache_bytes", bench.predicted_cache_bytes},
            {"other_bytes", bench.other_bytes}};
}

void print_row(const ordered_json& row) {
    fmt::print("{:<28} {:>5} {:>7} {:>11.1f} {:>10.1f} {:>8.2f} {:>12.1f}\n",
               row["model"].get<std::string>(), row["batch_size"].get<int64_t>(),
               row["context"].get<int64_t>(), row["prefill_ms_per_100_tokens"].get<double>(),
               row["tokens_per_second"].get<double>(), row["share_of_memory_rate"].get<double>(),
               1e-6 * row["cache_bytes"].get<double>());
}

void bench_decode(const Arguments& arguments) {
    const std::unique_ptr<Device> device = open_device(arguments.device);
    const std::vector<Contender> list = contenders(arguments);
    std::vector<ModelConfig> models;
    for (const Contender& contender : list) models.push_back(contender.model);
    const double memory_rate = measure_memory_rate();
    ordered_json document{{"device", device->description()},
                          {"memory_gbytes_per_second", 1e-9 * memory_rate}};
    if (!arguments.json)
        fmt::print(
            "memory is read at {:.1f} GB/s\n\n{:<28} {:>5} {:>7} {:>11} {:>10} {:>8} {:>12}\n",
            1e-9 * memory_rate, "model", "batch", "context", "ms/100 pre", "tokens/s", "share",
            "cache MB");
    for (const int64_t context : arguments.contexts)
        for (const int64_t batch_size : arguments.batch_sizes) {
            const DecodeBenchOptions options{parse_dtype(arguments.dtype), batch_size, context,
                                             arguments.new_tokens, arguments.rounds};
            const auto results = bench_decoding(models, options, *device);
            for (size_t i = 0; i < results.size(); ++i) {
                document["cases"].push_back(row_of(list[i].name, options, results[i], memory_rate));
                if (!arguments.json) print_row(document["cases"].back());
            }
        }
    if (arguments.json) fmt::print("{}\n", document.dump(2));
}

}  // namespace

void add_bench_decode_command(CLI::App& bench) {
    CLI::App* command = bench.add_subcommand(
        "decode", "Prefill and decoding of models in turn, as a share of the memory's bandwidth");
    const auto a = std::make_shared<Arguments>();
    command->add_option("--preset", a->presets, "Sizes, separated by commas")
        ->delimiter(',')
        ->capture_default_str();
    command->add_option("--arch", a->archs, "Variants of each, separated by commas")
        ->delimiter(',')
        ->capture_default_str();
    command->add_option("--set", a->sets, "Override a key of all, e.g. model.n_layer=4")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    const auto lengths = CLI::Range(int64_t{1}, int64_t{1} << 20);
    command->add_option("--batch", a->batch_sizes, "Batch sizes")
        ->delimiter(',')
        ->check(CLI::Range(int64_t{1}, int64_t{4096}))
        ->capture_default_str();
    command->add_option("--context", a->contexts, "Tokens of the prompt")
        ->delimiter(',')
        ->check(lengths)
        ->capture_default_str();
    command->add_option("--new", a->new_tokens, "Tokens to decode")
        ->check(lengths)
        ->capture_default_str();
    command->add_option("--rounds", a->rounds, "Times that each is measured; medians count")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command->add_option("--dtype", a->dtype, "f32, f64 or bf16")->capture_default_str();
    command->add_option("--device", a->device, "cpu, cuda or auto")
        ->check(CLI::IsMember({"cpu", "cuda", "auto"}));
    command->add_flag("--json", a->json, "Print one JSON document");
    command->callback([a] { bench_decode(*a); });
}

}  // namespace headroom
