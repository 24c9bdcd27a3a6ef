#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/job_loading.h"
#include "app/scaling/scaling_work.h"
#include "app/word_check.h"
#include "core/base/json_text.h"

namespace headroom {
namespace {

const std::vector<std::string> kKinds{"step", "probe", "study", "data"};

struct ScalingArguments {
    std::vector<std::string> what = kKinds;
    std::string device = "auto";
    size_t sizes = 100;
    int rounds = 3;
    bool json = false;
};

std::vector<ScalingWork> works_of(const ScalingArguments& arguments, Device& device) {
    std::vector<ScalingWork> works = model_scaling(device);
    for (const auto& more : {study_scaling(), data_scaling()})
        works.insert(works.end(), more.begin(), more.end());
    std::erase_if(works, [&](const ScalingWork& work) {
        return std::find(arguments.what.begin(), arguments.what.end(), work.kind) ==
               arguments.what.end();
    });
    return works;
}

void print_line(const ScalingLine& line) {
    fmt::print("{} over {} ({})\n", line.name, line.size_name, line.setting);
    for (const ScalingPoint& point : line.points)
        fmt::print("  {:>10.0f} {:>12.2f} ms\n", point.size, 1e3 * point.seconds);
    const ScalingExponents exponents = exponents_of(line);
    fmt::print("  grows with the power {:.2f}; {}: {:.2f}\n\n", exponents.measured, line.cost_name,
               exponents.expected);
    std::fflush(stdout);
}

void bench_scaling(const ScalingArguments& arguments) {
    const std::unique_ptr<Device> device = open_device(arguments.device);
    ScalingResult result{device->description(), {}};
    for (const ScalingWork& work : works_of(arguments, *device)) {
        result.lines.push_back(measure(work, arguments.sizes, arguments.rounds));
        if (!arguments.json) print_line(result.lines.back());
    }
    if (arguments.json) fmt::print("{}\n", dump_text(to_json(result), 2));
}

}  // namespace

/// headroom bench scaling [--what step,study] [--rounds N] [--sizes N] [--json]
void add_bench_scaling_command(CLI::App& bench) {
    CLI::App* command = bench.add_subcommand(
        "scaling", "How what you wait for grows with its size, beside how it should");
    const auto a = std::make_shared<ScalingArguments>();
    command
        ->add_option("--what", a->what,
                     "step: training steps over seq_len, n_layer and vocab_size; probe: attention "
                     "maps over seq_len; study: opening one over runs and steps; data: preparing "
                     "text over its bytes")
        ->delimiter(',')
        ->check(one_of(kKinds));
    add_device_option(*command, a->device);
    command->add_option("--sizes", a->sizes, "Only so many of the smallest sizes")
        ->check(CLI::Range(size_t{2}, size_t{100}));
    command->add_option("--rounds", a->rounds, "Timings of each size, of which the median counts")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command->add_flag("--json", a->json, "Print one JSON document, for `headroom figure scaling`");
    command->callback([a] { bench_scaling(*a); });
}

}  // namespace headroom
