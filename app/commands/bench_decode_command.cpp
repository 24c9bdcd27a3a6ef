#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/checkpoint_loading.h"
#include "app/dtype_option.h"
#include "app/eprint.h"
#include "app/job_loading.h"
#include "app/word_check.h"
#include "core/account/parameter_count.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/bench/decode_bench.h"
#include "core/config/job_json.h"
#include "core/config/set_key.h"

namespace headroom {
namespace {

using nlohmann::ordered_json;

struct DecodeArguments {
    std::vector<std::string> presets{"gpt2-124m"}, archs{"gpt2", "skipv1"}, sets, checkpoints;
    std::vector<int64_t> batch_sizes{1, 8, 16}, contexts{512};
    std::string dtype = "f32", device = "auto";
    int64_t new_tokens = 32;
    int rounds = 3;
    bool by_op = false, json = false;
};

int64_t longest_of(const DecodeArguments& arguments) {
    return *std::max_element(arguments.contexts.begin(), arguments.contexts.end()) +
           arguments.new_tokens;
}

/// The models of checkpoints. Their weights do not matter for the speed and stay on the disk.
std::vector<ModelConfig> models_of_checkpoints(const DecodeArguments& arguments) {
    std::vector<ModelConfig> models;
    for (const std::string& file : arguments.checkpoints) {
        models.push_back(open_checkpoint({file, {.sets = arguments.sets}}).config());
        models.back().block_size = std::max(models.back().block_size, longest_of(arguments));
    }
    return models;
}

/// For a preset that leaves the vocabulary to the data: GPT-2's, as nanoGPT pads it.
constexpr int64_t kOpenVocabulary = 50304;

void check_room(const ModelConfig& model, const std::string& preset, int64_t tokens) {
    if (model.pos != Positions::kLearned || tokens <= model.block_size) return;
    throw UserError(fmt::format("--context and --new make {} tokens, and {} has {} positions",
                                tokens, preset, model.block_size),
                    fmt::format("give fewer tokens or --set model.block_size={}", tokens));
}

/// One size in all architectures: the preset as it would be trained.
std::vector<ModelConfig> models_of(const DecodeArguments& arguments, const std::string& preset) {
    std::vector<ModelConfig> models;
    const int64_t longest = longest_of(arguments);
    for (const std::string& arch : arguments.archs) {
        nlohmann::json document{{"model", {{"preset", preset}, {"arch", arch}}}};
        apply_sets(document, arguments.sets);
        ModelConfig model = parse_job(document, "").model;
        if (model.vocab_size == 0) model.vocab_size = kOpenVocabulary;
        check_room(model, preset, longest);
        models.push_back(std::move(model));
    }
    return models;
}

ordered_json row_of(const DecodeCase& c, const std::string& preset, const std::string& arch,
                    const ModelConfig& model, const DecodeBench& bench) {
    ordered_json row{{"preset", preset},
                     {"arch", arch},
                     {"params_total", count_parameters(model).total},
                     {"batch_size", c.batch_size},
                     {"context", c.context},
                     {"prefill_ms_per_100_tokens", bench.prefill_ms_per_100_tokens},
                     {"tokens_per_second", bench.tokens_per_second},
                     {"prefill_speed", bench.prefill_speed},
                     {"step_speed", bench.step_speed},
                     {"step_ms", 1e3 * bench.step_seconds},
                     {"bytes_per_step", bench.bytes_per_step},
                     {"memory_gbytes_per_second", 1e-9 * bench.memory_rate},
                     {"share_of_memory_rate", bench.share_of_memory_rate()},
                     {"weight_bytes", bench.weight_bytes},
                     {"cache_bytes", bench.cache_bytes},
                     {"predicted_cache_bytes", bench.predicted_cache_bytes},
                     {"other_bytes", bench.other_bytes}};
    for (const OpTime& op : bench.ops)
        row["ops"].push_back({{"op", op.op},
                              {"launches", op.launches},
                              {"ms_per_step", 1e3 * op.seconds},
                              {"gbytes_per_second", 1e-9 * op.cost.bytes / op.seconds}});
    return row;
}

void print_head() {
    fmt::print("{:<16} {:<12} {:>5} {:>7} {:>10} {:>6} {:>9} {:>6} {:>6} {:>6} {:>9}\n", "size",
               "variant", "batch", "context", "ms/100 pre", "speed", "tokens/s", "speed", "share",
               "GB/s", "cache MB");
}

void print_decode_row(const ordered_json& row) {
    const auto number = [&](const char* key) { return row[key].get<double>(); };
    fmt::print(
        "{:<16} {:<12} {:>5} {:>7} {:>10.1f} {:>6.2f} {:>9.1f} {:>6.2f} {:>6.2f} {:>6.1f} "
        "{:>9.1f}\n",
        row["preset"].get<std::string>(), row["arch"].get<std::string>(),
        row["batch_size"].get<int64_t>(), row["context"].get<int64_t>(),
        number("prefill_ms_per_100_tokens"), number("prefill_speed"), number("tokens_per_second"),
        number("step_speed"), number("share_of_memory_rate"), number("memory_gbytes_per_second"),
        1e-6 * number("cache_bytes"));
    if (!row.contains("ops")) return;
    for (const auto& op : row["ops"])
        fmt::print("    {:<24} {:>5} x {:>9.3f} ms\n", op["op"].get<std::string>(),
                   op["launches"].get<int64_t>(), op["ms_per_step"].get<double>());
}

/// One case for every size, prompt length and batch size.
struct CaseList {
    std::vector<DecodeCase> cases;
    std::vector<std::string> presets;   ///< of each case
    std::vector<std::string> variants;  ///< of each model of a case

    explicit CaseList(const DecodeArguments& arguments) : variants(arguments.archs) {
        if (!arguments.checkpoints.empty()) {
            variants = arguments.checkpoints;
            add(arguments, "checkpoint", models_of_checkpoints(arguments));
            return;
        }
        for (const std::string& preset : arguments.presets)
            add(arguments, preset, models_of(arguments, preset));
    }

  private:
    void add(const DecodeArguments& arguments, const std::string& preset,
             const std::vector<ModelConfig>& models) {
        for (const int64_t context : arguments.contexts)
            for (const int64_t batch_size : arguments.batch_sizes) {
                cases.push_back({models, batch_size, context});
                presets.push_back(preset);
            }
    }
};

void bench_decode(const DecodeArguments& arguments) {
    const std::unique_ptr<Device> device = open_device(arguments.device);
    DecodeBenchOptions options{computed_type_option("--dtype", arguments.dtype),
                               arguments.new_tokens, arguments.rounds, arguments.by_op};
    const CaseList list(arguments);
    options.progress = [](const std::string& line) { eprint("{}\n", line); };
    const auto results = bench_decoding(list.cases, options, *device);
    ordered_json document{{"device", device->description()},
                          {"dtype", std::string(name_of(options.precision))},
                          {"new_tokens", options.new_tokens},
                          {"rounds", options.rounds}};
    if (!arguments.json) print_head();
    for (size_t i = 0; i < results.size(); ++i)
        for (size_t m = 0; m < results[i].size(); ++m) {
            document["cases"].push_back(row_of(list.cases[i], list.presets[i], list.variants[m],
                                               list.cases[i].models[m], results[i][m]));
            if (!arguments.json) print_decode_row(document["cases"].back());
        }
    if (arguments.json) fmt::print("{}\n", dump_text(document, 2));
}

}  // namespace

/// `headroom bench decode`: prefill and decoding of models in turn, against memory bandwidth.
void add_bench_decode_command(CLI::App& bench) {
    CLI::App* command = bench.add_subcommand(
        "decode",
        "Prompts and decoding of models in turn: speed against the first variant of a size, and "
        "the share of the rate at which memory is read meanwhile");
    const auto a = std::make_shared<DecodeArguments>();
    command->add_option("--preset", a->presets, "Sizes, separated by commas")
        ->delimiter(',')
        ->capture_default_str();
    command->add_option("--arch", a->archs, "Variants of each, separated by commas")
        ->delimiter(',')
        ->capture_default_str();
    command
        ->add_option("--checkpoint", a->checkpoints,
                     "Models of checkpoints instead, separated by commas: speeds are against the "
                     "first")
        ->delimiter(',')
        ->excludes("--preset", "--arch");
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
    add_device_option(*command, a->device);
    command->add_flag("--by-op", a->by_op, "Also the time of each operator of a step");
    command->add_flag("--json", a->json, "Print one JSON document");
    command->callback([a] { bench_decode(*a); });
}

}  // namespace headroom
