#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/commands/bench_train_cases.h"
#include "app/job_loading.h"
#include "app/word_check.h"
#include "core/account/flops.h"
#include "core/account/parameter_count.h"
#include "core/base/json_text.h"
#include "core/bench/train_bench.h"

namespace headroom {
namespace {

struct BenchArguments {
    BenchTrainModel model;
    std::string device = "auto";
    int steps = 5;
    bool json = false;
};

/// What the device can do, as far as the cases compare with it.
struct Ceilings {
    std::map<DType, double> gflops;     ///< 0 where no library has such products
    std::map<DType, double> sustained;  ///< of seconds without a pause; none where not measured
    double gbytes = 0;                  ///< per second
};

double share(double rate, double ceiling) {
    return ceiling > 0 ? rate / ceiling : 0.0;
}

nlohmann::ordered_json ops_of(const TrainBench& bench, double gflops, double gbytes) {
    nlohmann::ordered_json ops = nlohmann::ordered_json::array();
    for (const OpTime& op : bench.ops) {
        const double seconds = std::max(op.seconds, 1e-12);
        nlohmann::ordered_json row = {{"op", op.op},
                                      {"ms_per_step", 1e3 * op.seconds},
                                      {"share", op.seconds / bench.step_seconds}};
        if (op.cost.flops > 0) {
            row["gflops_per_second"] = 1e-9 * op.cost.flops / seconds;
            row["share_of_product_rate"] = share(row["gflops_per_second"], gflops);
        }
        row["gbytes_per_second"] = 1e-9 * op.cost.bytes / seconds;
        row["share_of_memory_rate"] = share(row["gbytes_per_second"], gbytes);
        ops.push_back(std::move(row));
    }
    return ops;
}

nlohmann::ordered_json report_of(const BenchCase& bench_case, const TrainBench& bench,
                                 const Ceilings& ceilings) {
    const Job& job = bench_case.job;
    const std::string precision(name_of(job.precision));
    const auto flops = static_cast<double>(count_flops(job.model, job.train.seq_len).training());
    const double rate = flops * bench.tokens_per_second;
    const double in_step = bench.product_flops_per_step / bench.step_seconds;
    const double peak = ceilings.gflops.at(job.precision);
    const double gflops = in_step > 0 ? 1e-9 * in_step : peak;
    const double op_gflops = bench.product_rate > 0 ? 1e-9 * bench.product_rate : peak;
    const double gbytes_per_second = 1e-9 * bench.bytes_per_step() / bench.step_seconds;
    nlohmann::ordered_json report = {
        {"name", bench_case.name},
        {"precision", precision},
        {"params_total", count_parameters(job.model).total},
        {"batch_size", job.train.batch_size},
        {"seq_len", job.train.seq_len},
        {"step_ms", 1e3 * bench.step_seconds},
        {"best_step_ms", 1e3 * bench.best_step_seconds},
        {"tokens_per_second", bench.tokens_per_second},
        {"gflops_per_second", 1e-9 * rate},
        {"product_gflops_per_second", gflops},
        {"share_of_product_rate", share(1e-9 * rate, gflops)},
        {"gbytes_per_second", gbytes_per_second},
        {"memory_gbytes_per_second", ceilings.gbytes},
        {"share_of_memory_rate", share(gbytes_per_second, ceilings.gbytes)},
        {"memory_bytes", bench.arena_bytes},
        {"ops", ops_of(bench, op_gflops, ceilings.gbytes)}};
    if (in_step > 0) report["share_of_best_product_rate"] = share(1e-9 * rate, peak);
    const auto sustained = ceilings.sustained.find(job.precision);
    if (sustained != ceilings.sustained.end())
        report["share_of_sustained_product_rate"] = share(1e-9 * rate, sustained->second);
    return report;
}

void print_case(const nlohmann::ordered_json& report) {
    fmt::print("\n{}  batch_size {} x seq_len {}\n", report["name"].get<std::string>(),
               report["batch_size"].get<int64_t>(), report["seq_len"].get<int64_t>());
    std::string beside;  // the steps; else the share is of the best rate itself
    if (report.contains("share_of_best_product_rate"))
        beside = fmt::format(" beside the steps ({:.0f} % of the best above)",
                             100 * report["share_of_best_product_rate"].get<double>());
    fmt::print(
        "  {:.1f} ms a step, {:.0f} tokens/s, {:.0f} GFLOP/s = {:.0f} % of the product rate{}, "
        "{:.1f} GB/s = {:.0f} % of the memory's\n",
        report["step_ms"].get<double>(), report["tokens_per_second"].get<double>(),
        report["gflops_per_second"].get<double>(),
        100 * report["share_of_product_rate"].get<double>(), beside,
        report["gbytes_per_second"].get<double>(),
        100 * report["share_of_memory_rate"].get<double>());
    if (report.contains("share_of_sustained_product_rate"))
        fmt::print("  {:.0f} % of the product rate that the device sustains\n",
                   100 * report["share_of_sustained_product_rate"].get<double>());
    for (const auto& op : report["ops"]) {
        if (op["share"].get<double>() < 0.002) continue;
        const std::string rate =
            op.contains("gflops_per_second")
                ? fmt::format("{:6.0f} GFLOP/s {:3.0f} %", op["gflops_per_second"].get<double>(),
                              100 * op["share_of_product_rate"].get<double>())
                : fmt::format("{:6.1f} GB/s    {:3.0f} %", op["gbytes_per_second"].get<double>(),
                              100 * op["share_of_memory_rate"].get<double>());
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

/// The best rate of any library, for each precision that the cases use, and of memory.
Ceilings measure_ceilings(DeviceCeilings& device_ceilings, const std::vector<BenchCase>& cases,
                          nlohmann::ordered_json& document, bool quiet) {
    Ceilings ceilings;
    for (const BenchCase& bench_case : cases) {
        const DType precision = bench_case.job.precision;
        if (!ceilings.gflops.emplace(precision, 0.0).second || precision == DType::kF64) continue;
        for (const GemmRate& rate : device_ceilings.gemm_rates(precision)) {
            ceilings.gflops[precision] = std::max(ceilings.gflops[precision], rate.gflops);
            document["gemm_rates"].push_back({{"library", rate.library},
                                              {"precision", name_of(precision)},
                                              {"size", rate.size},
                                              {"gflops_per_second", rate.gflops}});
            if (rate.sustained_gflops > 0) {
                ceilings.sustained[precision] =
                    std::max(ceilings.sustained[precision], rate.sustained_gflops);
                document["gemm_rates"].back()["sustained_gflops_per_second"] =
                    rate.sustained_gflops;
            }
            if (!quiet)
                fmt::print("{:<9} {:<9} {:6.0f} GFLOP/s ({} x {} matrices)\n", rate.library,
                           name_of(precision), rate.gflops, rate.size, rate.size);
        }
    }
    for (int reading = 0; reading < 3; ++reading)
        ceilings.gbytes = std::max(ceilings.gbytes, 1e-9 * device_ceilings.memory_rate());
    document["memory_gbytes_per_second"] = ceilings.gbytes;
    if (!quiet) fmt::print("{:<19} {:6.1f} GB/s\n", "memory", ceilings.gbytes);
    return ceilings;
}

void bench_train(const BenchArguments& arguments) {
    const std::unique_ptr<Device> device = open_device(arguments.device);
    const std::vector<BenchCase> cases = bench_train_cases(arguments.model, device->kind());
    nlohmann::ordered_json document = {{"device", device->description()}};
    const std::unique_ptr<DeviceCeilings> device_ceilings = device->ceilings();
    const Ceilings ceilings = measure_ceilings(*device_ceilings, cases, document, arguments.json);
    for (const BenchCase& bench_case : cases) {
        const auto product_rate = [&] {
            return 1e9 * device_ceilings->product_rate_now(bench_case.job.precision);
        };
        const TrainBench bench =
            bench_training(bench_case.job, *device, arguments.steps, product_rate);
        document["cases"].push_back(report_of(bench_case, bench, ceilings));
        if (!arguments.json) print_case(document["cases"].back());
    }
    add_ratio(document, "d768-l6");
    add_ratio(document, "gpt2-124m");
    if (arguments.json) {
        fmt::print("{}\n", dump_text(document, 2));
        return;
    }
    if (!document.contains("bfloat16_speedup")) return;
    for (const auto& [name, ratio] : document["bfloat16_speedup"].items())
        fmt::print("\nbfloat16 is {:.2f} times as fast as float32 at {}", ratio.get<double>(),
                   name);
    fmt::print("\n");
}

}  // namespace

/// headroom bench train [--preset NAME | --job FILE] [--set KEY=VALUE]… [--json]
void add_bench_train_command(CLI::App& bench) {
    CLI::App* command = bench.add_subcommand(
        "train", "Training steps against the machine's matrix-product rate, by operator");
    const auto arguments = std::make_shared<BenchArguments>();
    command->add_option("--job", arguments->model.job, "Job file; without it the standard shapes");
    command->add_option("--preset", arguments->model.preset, "Model preset");
    command->add_option("--set", arguments->model.sets, "Override a key, e.g. train.batch_size=4")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    command->add_option("--steps", arguments->steps, "Timed steps per shape")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    add_device_option(*command, arguments->device);
    command->add_flag("--json", arguments->json, "Print one JSON document");
    command->callback([arguments] { bench_train(*arguments); });
}

}  // namespace headroom
