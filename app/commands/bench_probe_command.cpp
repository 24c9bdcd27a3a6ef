#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "app/job_loading.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/bench/probe_bench.h"
#include "core/config/job_json.h"
#include "core/config/set_key.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

struct ProbeBenchArguments {
    std::string preset = "gpt2-124m", keep;
    std::vector<std::string> sets;
    ProbeBenchOptions options;
    bool json = false;
};

ModelConfig model_of(const ProbeBenchArguments& arguments) {
    nlohmann::json document{{"model", {{"preset", arguments.preset}}}};
    apply_sets(document, arguments.sets);
    nlohmann::json& model = document["model"];
    if (!model.contains("block_size")) model["block_size"] = arguments.options.seq_len;
    if (!model.contains("vocab_size")) model["vocab_size"] = 256;  // no map depends on its size
    ModelConfig config = parse_job(document, "").model;
    if (config.pos == Positions::kLearned && config.block_size < arguments.options.seq_len)
        throw UserError(fmt::format("--seq-len {} is more than the model's block_size of {}",
                                    arguments.options.seq_len, config.block_size),
                        "give fewer tokens or --set model.block_size=N");
    return config;
}

/// Removes the record at the end unless it is to be kept.
struct Record {
    explicit Record(const std::string& keep)
        : path(keep.empty()
                   ? fs::temp_directory_path() / fmt::format("headroom-bench-{}.h5", ::getpid())
                   : fs::path(keep)),
          temporary(keep.empty()) {}
    ~Record() {
        std::error_code ignored;
        if (temporary) fs::remove(path, ignored);
    }
    Record(const Record&) = delete;
    Record& operator=(const Record&) = delete;

    fs::path path;
    bool temporary;
};

void print_json(const ModelConfig& model, const ProbeBenchOptions& options,
                const ProbeBench& bench) {
    const nlohmann::ordered_json document{{"n_layer", model.n_layer},
                                          {"n_head", model.n_head},
                                          {"seq_len", options.seq_len},
                                          {"logits", options.logits},
                                          {"record_bytes", bench.record_bytes},
                                          {"pass_seconds", bench.pass_s},
                                          {"write_seconds", bench.write_s},
                                          {"first_open_ms", 1e3 * bench.first_open_s},
                                          {"first_head_ms", 1e3 * bench.first_head_s},
                                          {"slowest_head_ms", 1e3 * bench.slowest_head_s},
                                          {"open_ms", 1e3 * bench.open_s},
                                          {"head_ms", 1e3 * bench.head_s}};
    fmt::print("{}\n", dump_text(document, 2));
}

void print_text(const ModelConfig& model, const ProbeBenchOptions& options,
                const ProbeBench& bench) {
    fmt::print("{} layers of {} heads over {} tokens: {:.0f} MB\n", model.n_layer, model.n_head,
               options.seq_len, 1e-6 * static_cast<double>(bench.record_bytes));
    fmt::print("forward pass {:>10.2f} s\nmaps written {:>10.2f} s\n", bench.pass_s, bench.write_s);
    fmt::print("{:<26} {:>9} {:>9}\n", "", "open ms", "head ms");
    fmt::print("{:<26} {:>9.1f} {:>9.1f}   (slowest head {:.1f})\n", "pages forgotten",
               1e3 * bench.first_open_s, 1e3 * bench.first_head_s, 1e3 * bench.slowest_head_s);
    fmt::print("{:<26} {:>9.1f} {:>9.1f}\n", "in memory, medians", 1e3 * bench.open_s,
               1e3 * bench.head_s);
}

void bench_probe(ProbeBenchArguments arguments) {
    const ModelConfig model = model_of(arguments);
    const std::unique_ptr<Device> device = open_device("auto");
    const Record record(arguments.keep);
    arguments.options.record = record.path;
    const ProbeBench bench = bench_attention_record(model, arguments.options, *device);
    arguments.json ? print_json(model, arguments.options, bench)
                   : print_text(model, arguments.options, bench);
}

}  // namespace

/// `headroom bench probe`: how soon an attention record is there, open, and on the screen.
void add_bench_probe_command(CLI::App& bench) {
    CLI::App* command = bench.add_subcommand(
        "probe", "Making, opening and reading the attention maps of a model with random weights");
    const auto a = std::make_shared<ProbeBenchArguments>();
    command->add_option("--preset", a->preset, "The model's sizes")->capture_default_str();
    command
        ->add_option("--set", a->sets,
                     "Override a key, e.g. model.causal=false, which stores all chunks")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    command->add_option("--seq-len", a->options.seq_len, "Tokens")
        ->check(CLI::Range(int64_t{1}, int64_t{1} << 16))
        ->capture_default_str();
    command->add_flag("--logits", a->options.logits, "Keep the scores before the softmax, too");
    command->add_option("--keep", a->keep, "Leave the record in this file");
    command->add_flag("--json", a->json, "Print one JSON document");
    command->callback([a] { bench_probe(*a); });
}

}  // namespace headroom
