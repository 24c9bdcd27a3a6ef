#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/dtype_option.h"
#include "app/eprint.h"
#include "app/job_loading.h"
#include "app/word_check.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/bench/device_op_bench.h"
#include "core/device/device.h"

namespace headroom {
namespace {

struct BenchOpsArguments {
    std::string dtype = "f32", device = "cpu";
    OpBenchOptions options;
    bool json = false;
};

/// What was measured of the device itself.
struct OpCeilings {
    std::vector<GemmRate> products;  ///< fastest first
    double memory = 0;               ///< bytes per second

    double share_of_products(const OpBenchRow& row) const {
        return products.empty() ? 0 : row.gflops() / products.front().gflops;
    }
    double share_of_memory(const OpBenchRow& row) const {
        return row.gbytes_per_second() / (1e-9 * memory);
    }
};

std::string percent(double share) {
    return fmt::format("{:.0f}", 100 * share);
}

void print_table(const OpCeilings& ceilings, const TimedSizes& sizes,
                 const std::vector<OpBenchRow>& rows) {
    for (const GemmRate& rate : ceilings.products)
        fmt::print("{:<9} {:8.1f} GFLOP/s on {} x {} matrices\n", rate.library, rate.gflops,
                   rate.size, rate.size);
    fmt::print("{:<9} {:8.1f} GB/s\n", "memory", 1e-9 * ceilings.memory);
    fmt::print("batch_size {}, seq_len {}, d_model {}, n_head {}, d_ff {}, vocab_size {}\n",
               sizes.batch_size, sizes.seq_len, sizes.d_model, sizes.n_head, sizes.d_ff,
               sizes.vocab_size);
    fmt::print("\n{:<36} {:<30} {:>9} {:>9} {:>4} {:>7} {:>4} {:>8}\n", "case", "kernel", "ms",
               "GFLOP/s", "%", "GB/s", "%", "x naive");
    for (const OpBenchRow& row : rows)
        fmt::print(
            "{:<36} {:<30} {:9.3f} {:>9} {:>4} {:7.1f} {:>4} {:>8}\n", row.op_case, row.op,
            row.seconds * 1e3, row.cost.flops > 0 ? fmt::format("{:.1f}", row.gflops()) : "",
            row.cost.flops > 0 ? percent(ceilings.share_of_products(row)) : "",
            row.gbytes_per_second(), percent(ceilings.share_of_memory(row)),
            row.naive_seconds > 0 ? fmt::format("{:.1f}", row.naive_seconds / row.seconds) : "");
}

nlohmann::ordered_json sizes_json(const TimedSizes& sizes) {
    return {{"batch_size", sizes.batch_size},
            {"seq_len", sizes.seq_len},
            {"d_model", sizes.d_model},
            {"n_head", sizes.n_head},
            {"d_ff", sizes.d_ff},
            {"vocab_size", sizes.vocab_size}};
}

void print_json(const BenchOpsArguments& arguments, const Device& device,
                const OpCeilings& ceilings, const std::vector<OpBenchRow>& rows) {
    nlohmann::ordered_json document = {{"dtype", name_of(arguments.options.dtype)},
                                       {"device", device.description()},
                                       {"threads", device.threads()},
                                       {"memory_gbytes_per_second", 1e-9 * ceilings.memory},
                                       {"sizes", sizes_json(timed_sizes(arguments.options.size))},
                                       {"gemm_rates", nlohmann::ordered_json::array()},
                                       {"kernels", nlohmann::ordered_json::array()}};
    for (const GemmRate& rate : ceilings.products)
        document["gemm_rates"].push_back(
            {{"library", rate.library}, {"gflops", rate.gflops}, {"size", rate.size}});
    for (const OpBenchRow& row : rows) {
        nlohmann::ordered_json kernel = {{"case", row.op_case},
                                         {"kernel", row.op},
                                         {"seconds", row.seconds},
                                         {"gflops", row.gflops()},
                                         {"share_of_product_rate", ceilings.share_of_products(row)},
                                         {"gbytes_per_second", row.gbytes_per_second()},
                                         {"share_of_memory_rate", ceilings.share_of_memory(row)}};
        if (row.naive_seconds > 0) kernel["times_naive"] = row.naive_seconds / row.seconds;
        document["kernels"].push_back(std::move(kernel));
    }
    fmt::print("{}\n", dump_text(document, 2));
}

void bench(BenchOpsArguments& arguments) {
    arguments.options.dtype = computed_type_option("--dtype", arguments.dtype);
    const DType dtype = arguments.options.dtype;
    if (arguments.options.naive && dtype == DType::kBF16)
        throw UserError("--naive: the naive kernels compute in float32 and float64",
                        "leave it out, or use --dtype f32");
    const std::unique_ptr<Device> device = open_device(arguments.device);
    const bool on_cpu = device->kind() == "cpu";
    if (arguments.options.naive && !on_cpu)
        throw UserError("--naive: the naive kernels run on the CPU", "leave it out");
    arguments.options.size = on_cpu ? CaseSize::kCpu : CaseSize::kGpu;
    const auto progress = [](const std::string& name) { eprint("{}\n", name); };
    const auto rows = on_cpu ? bench_ops(arguments.options, progress)
                             : bench_ops_on(*device, arguments.options, progress);
    if (rows.empty())
        throw UserError(
            "--only: no operator case is called like \"" + arguments.options.only + "\"",
            "headroom bench ops lists all");
    const std::unique_ptr<DeviceCeilings> device_ceilings = device->ceilings();
    const OpCeilings ceilings{
        device_ceilings->gemm_rates(dtype == DType::kBF16 ? DType::kBF16 : DType::kF32),
        device_ceilings->memory_rate()};
    if (arguments.json)
        print_json(arguments, *device, ceilings, rows);
    else
        print_table(ceilings, timed_sizes(arguments.options.size), rows);
}

}  // namespace

/// `headroom bench ops [--dtype f32|f64|bf16] [--naive] [--only TEXT] [--json]`: every kernel at a
/// training size beside the product rate of the vendors' libraries.
void add_bench_ops_command(CLI::App& app) {
    CLI::App* command = app.add_subcommand("ops", "Time every operator at a training size");
    const auto arguments = std::make_shared<BenchOpsArguments>();
    command->add_option("--dtype", arguments->dtype, "Storage type: f32, f64 or bf16")
        ->capture_default_str();
    command->add_flag("--naive", arguments->options.naive,
                      "Time the naive kernels too (about a minute)");
    command->add_option("--only", arguments->options.only, "Cases whose name contains this");
    add_device_option(*command, arguments->device)->capture_default_str();
    command->add_flag("--json", arguments->json, "Print one JSON document");
    command->callback([arguments] { bench(*arguments); });
}

}  // namespace headroom
