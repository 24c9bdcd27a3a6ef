#include "app/commands/bench_train_command.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/job_loading.h"
#include "core/account/flops.h"
#include "core/account/parameter_count.h"
#include "core/base/error.h"
#include "core/bench/product_rate.h"
#include "core/bench/train_bench.h"
#include "core/config/job_json.h"
#include "core/config/set_key.h"
#include "core/cpu/gemm.h"

namespace headroom {
namespace {

struct BenchArguments {
    std::string job, preset, device = "auto";
    std::vector<std::string> sets;
    int steps = 5;
    bool json = false;
};

/// One line of the report.
struct BenchCase {
    std::string name;
    Job job;
};

Job job_of(const std::vector<std::string>& sets) {
    nlohmann::json document = nlohmann::json::object();
    apply_sets(document, sets);
    Job job = parse_job(document, "");
    if (job.model.vocab_size == 0) job.model.vocab_size = 256;
    return job;
}

/// The shapes that our speed claims are about.
std::vector<BenchCase> standard_cases() {
    const auto shape = [](const char* precision, int n_layer, int d_model, int n_head,
                          int batch_size) {
        return job_of({fmt::format("precision={}", precision),
                       fmt::format("model.n_layer={}", n_layer),
                       fmt::format("model.d_model={}", d_model),
                       fmt::format("model.n_head={}", n_head), "model.block_size=256",
                       fmt::format("train.batch_size={}", batch_size), "train.seq_len=256"});
    };
    const auto gpt2 = [](const char* precision) {
        return job_of({fmt::format("precision={}", precision), "model.preset=gpt2-124m",
                       "train.batch_size=2", "train.seq_len=256"});
    };
    std::vector<BenchCase> cases{{"d384-l6 float32", shape("float32", 6, 384, 6, 8)},
                                 {"gpt2-124m float32", gpt2("float32")},
                                 {"d768-l6 float32", shape("float32", 6, 768, 12, 8)}};
    if (Bf16Gemm::supported()) {
        cases.push_back({"d768-l6 bfloat16", shape("bfloat16", 6, 768, 12, 8)});
        cases.push_back({"gpt2-124m bfloat16", gpt2("bfloat16")});
    }
    return cases;
}

std::vector<BenchCase> cases_of(const BenchArguments& arguments) {
    if (!arguments.job.empty()) {
        Job job = load_job_for_run(arguments.job, arguments.sets);
        if (job.model.vocab_size == 0) job.model.vocab_size = 256;
        return {{job.name, job}};
    }
    std::vector<std::string> sets = arguments.sets;
    if (!arguments.preset.empty()) sets.insert(sets.begin(), "model.preset=" + arguments.preset);
    if (!sets.empty())
        return {{arguments.preset.empty() ? "given" : arguments.preset, job_of(sets)}};
    return standard_cases();
}

nlohmann::ordered_json report_of(const BenchCase& bench_case, const TrainBench& bench,
                                 double ceiling) {
    const Job& job = bench_case.job;
    const std::string precision(name_of(job.precision));
    const auto flops = static_cast<double>(count_flops(job.model, job.train.seq_len).training());
    const double rate = flops * bench.tokens_per_second;
    nlohmann::ordered_json ops = nlohmann::ordered_json::array();
    for (const OpTime& op : bench.ops) {
        nlohmann::ordered_json row = {{"op", op.op},
                                      {"ms_per_step", 1e3 * op.seconds},
                                      {"share", op.seconds / bench.step_seconds}};
        if (op.cost.flops > 0) row["gflops_per_second"] = 1e-9 * op.cost.flops / op.seconds;
        row["gbytes_per_second"] = 1e-9 * op.cost.bytes / op.seconds;
        ops.push_back(std::move(row));
    }
    return {{"name", bench_case.name},
            {"precision", precision},
            {"params_total", count_parameters(job.model).total},
            {"batch_size", job.train.batch_size},
            {"seq_len", job.train.seq_len},
            {"step_ms", 1e3 * bench.step_seconds},
            {"best_step_ms", 1e3 * bench.best_step_seconds},
            {"tokens_per_second", bench.tokens_per_second},
            {"gflops_per_second", 1e-9 * rate},
            {"product_gflops_per_second", ceiling},
            {"share_of_product_rate", ceiling > 0 ? 1e-9 * rate / ceiling : 0.0},
            {"memory_bytes", bench.arena_bytes},
            {"ops", std::move(ops)}};
}

void print_case(const nlohmann::ordered_json& report) {
    fmt::print("\n{}  batch_size {} x seq_len {}\n", report["name"].get<std::string>(),
               report["batch_size"].get<int64_t>(), report["seq_len"].get<int64_t>());
    fmt::print(
        "  {:.1f} ms a step, {:.0f} tokens/s, {:.0f} GFLOP/s = {:.0f} % of the product rate\n",
        report["step_ms"].get<double>(), report["tokens_per_second"].get<double>(),
        report["gflops_per_second"].get<double>(),
        100 * report["share_of_product_rate"].get<double>());
    for (const auto& op : report["ops"]) {
        if (op["share"].get<double>() < 0.002) continue;
        const std::string rate =
            op.contains("gflops_per_second")
                ? fmt::format("{:6.0f} GFLOP/s", op["gflops_per_second"].get<double>())
                : fmt::format("{:6.1f} GB/s", op["gbytes_per_second"].get<double>());
        fmt::print("  {:<32} {:8.2f} ms {:5.1f} %  {}\n", op["op"].get<std::string>(),
                   op["ms_per_step"].get<double>(), 100 * op["share"].get<double>(), rate);
    }
}

/// Times of the same model in two precisions, as one number.
void add_ratio(nlohmann::ordered_json& document, const std::string& name) {
    double wide = 0, narrow = 0;
    for (const auto& report : document["cases"]) {
        if (report["name"] == name + " float32") wide = report["step_ms"].get<double>();
        if (report["name"] == name + " bfloat16") narrow = report["step_ms"].get<double>();
    }
    if (wide > 0 && narrow > 0) document["bfloat16_speedup"][name] = wide / narrow;
}

/// The best rate of any library, for each precision that the cases use; 0 where none has it.
std::map<DType, double> measure_ceilings(const std::vector<BenchCase>& cases,
                                         nlohmann::ordered_json& document, bool quiet) {
    std::map<DType, double> ceilings;
    for (const BenchCase& bench_case : cases) {
        const DType precision = bench_case.job.precision;
        if (!ceilings.emplace(precision, 0.0).second || precision == DType::kF64) continue;
        for (const ProductRate& rate : measure_product_rates(precision)) {
            ceilings[precision] = std::max(ceilings[precision], rate.gflops);
            document["product_rates"].push_back({{"library", rate.library},
                                                 {"precision", name_of(precision)},
                                                 {"size", rate.size},
                                                 {"gflops_per_second", rate.gflops}});
            if (!quiet)
                fmt::print("{:<9} {:<9} {:6.0f} GFLOP/s ({} x {} matrices)\n", rate.library,
                           name_of(precision), rate.gflops, rate.size, rate.size);
        }
    }
    return ceilings;
}

void bench_train(const BenchArguments& arguments) {
    const std::unique_ptr<Device> device = open_device(arguments.device);
    const std::vector<BenchCase> cases = cases_of(arguments);
    nlohmann::ordered_json document = {{"device", device->description()}};
    const std::map<DType, double> ceilings = measure_ceilings(cases, document, arguments.json);
    for (const BenchCase& bench_case : cases) {
        const TrainBench bench = bench_training(bench_case.job, *device, arguments.steps);
        const double ceiling = ceilings.at(bench_case.job.precision);
        document["cases"].push_back(report_of(bench_case, bench, ceiling));
        if (!arguments.json) print_case(document["cases"].back());
    }
    add_ratio(document, "d768-l6");
    add_ratio(document, "gpt2-124m");
    if (arguments.json) {
        fmt::print("{}\n", document.dump(2));
        return;
    }
    if (!document.contains("bfloat16_speedup")) return;
    for (const auto& [name, ratio] : document["bfloat16_speedup"].items())
        fmt::print("\nbfloat16 is {:.2f} times as fast as float32 at {}", ratio.get<double>(),
                   name);
    fmt::print("\n");
}

}  // namespace

void add_bench_train_command(CLI::App& bench) {
    CLI::App* command = bench.add_subcommand(
        "train", "Training steps against the machine's matrix-product rate, by operator");
    const auto arguments = std::make_shared<BenchArguments>();
    command->add_option("--job", arguments->job, "Job file; without it the standard shapes");
    command->add_option("--preset", arguments->preset, "Model preset");
    command->add_option("--set", arguments->sets, "Override a key, e.g. train.batch_size=4")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    command->add_option("--steps", arguments->steps, "Timed steps per shape")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command->add_option("--device", arguments->device, "cpu, cuda or auto")
        ->check(CLI::IsMember({"cpu", "cuda", "auto"}));
    command->add_flag("--json", arguments->json, "Print one JSON document");
    command->callback([arguments] { bench_train(*arguments); });
}

}  // namespace headroom
