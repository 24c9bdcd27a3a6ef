#include "app/commands/bench_ops_command.h"

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/bench/op_bench.h"
#include "core/bench/product_rate.h"
#include "core/device/device.h"

namespace headroom {
namespace {

struct BenchOpsArguments {
    std::string dtype = "f32";
    OpBenchOptions options;
    bool json = false;
};

void print_table(const std::vector<ProductRate>& rates, const std::vector<OpBenchRow>& rows) {
    for (const ProductRate& rate : rates)
        fmt::print("{:<9} {:8.1f} GFLOP/s on {} x {} matrices\n", rate.library, rate.gflops,
                   rate.size, rate.size);
    fmt::print("\n{:<36} {:<30} {:>9} {:>9} {:>7} {:>8}\n", "case", "kernel", "ms", "GFLOP/s",
               "GB/s", "x naive");
    for (const OpBenchRow& row : rows)
        fmt::print(
            "{:<36} {:<30} {:9.3f} {:>9} {:7.1f} {:>8}\n", row.op_case, row.op, row.seconds * 1e3,
            row.cost.flops > 0 ? fmt::format("{:.1f}", row.gflops()) : "", row.gbytes_per_second(),
            row.naive_seconds > 0 ? fmt::format("{:.1f}", row.naive_seconds / row.seconds) : "");
}

void print_json(const BenchOpsArguments& arguments, const std::vector<ProductRate>& rates,
                const std::vector<OpBenchRow>& rows) {
    nlohmann::ordered_json document = {{"dtype", name_of(arguments.options.dtype)},
                                       {"threads", make_cpu_device()->threads()},
                                       {"product_rates", nlohmann::ordered_json::array()},
                                       {"kernels", nlohmann::ordered_json::array()}};
    for (const ProductRate& rate : rates)
        document["product_rates"].push_back(
            {{"library", rate.library}, {"gflops", rate.gflops}, {"size", rate.size}});
    for (const OpBenchRow& row : rows) {
        nlohmann::ordered_json kernel = {{"case", row.op_case},
                                         {"kernel", row.op},
                                         {"seconds", row.seconds},
                                         {"gflops", row.gflops()},
                                         {"gbytes_per_second", row.gbytes_per_second()}};
        if (row.naive_seconds > 0) kernel["times_naive"] = row.naive_seconds / row.seconds;
        document["kernels"].push_back(std::move(kernel));
    }
    fmt::print("{}\n", document.dump(2));
}

void bench(BenchOpsArguments& arguments) {
    arguments.options.dtype = parse_dtype(arguments.dtype);
    const DType dtype = arguments.options.dtype;
    if (dtype != DType::kF32 && dtype != DType::kF64 && dtype != DType::kBF16)
        throw UserError("--dtype: no kernels for " + arguments.dtype, "use f32, f64 or bf16");
    if (arguments.options.naive && dtype == DType::kBF16)
        throw UserError("--naive: the naive kernels compute in float32 and float64",
                        "leave it out, or use --dtype f32");
    const auto rows = bench_ops(arguments.options,
                                [](const std::string& name) { fmt::print(stderr, "{}\n", name); });
    if (rows.empty())
        throw UserError(
            "--only: no operator case is called like \"" + arguments.options.only + "\"",
            "headroom bench ops lists all");
    const std::vector<ProductRate> rates =
        measure_product_rates(dtype == DType::kBF16 ? DType::kBF16 : DType::kF32);
    arguments.json ? print_json(arguments, rates, rows) : print_table(rates, rows);
}

}  // namespace

void add_bench_ops_command(CLI::App& app) {
    CLI::App* command = app.add_subcommand("ops", "Time every operator at a training size");
    const auto arguments = std::make_shared<BenchOpsArguments>();
    command->add_option("--dtype", arguments->dtype, "Storage type: f32, f64 or bf16")
        ->capture_default_str();
    command->add_flag("--naive", arguments->options.naive,
                      "Time the naive kernels too (about a minute)");
    command->add_option("--only", arguments->options.only, "Cases whose name contains this");
    command->add_flag("--json", arguments->json, "Print one JSON document");
    command->callback([arguments] { bench(*arguments); });
}

}  // namespace headroom
