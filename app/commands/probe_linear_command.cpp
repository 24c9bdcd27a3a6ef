#include "app/commands/probe_linear_command.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/job_loading.h"
#include "app/probe_input.h"
#include "app/progress_line.h"
#include "core/base/digits.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/system_info.h"
#include "core/probe/linear_probe_file.h"
#include "core/study/run_folder.h"
#include "core/train/training_session.h"

namespace headroom {
namespace {

using nlohmann::ordered_json;

struct LinearArguments {
    ProbeOptions common;
    LinearProbeOptions probe;
    std::string val_data = "split:0.1";
    std::vector<int> fit;    ///< first and last layer
    int64_t batch_size = 0;  ///< 0: the run's
    int64_t eval_batches = 0;
    bool no_control = false;
};

/// The run's job, or one with the defaults of training, on the data that are asked for.
Job probe_job(const ProbeInput& input, const LinearArguments& arguments) {
    Job job = input.job;
    TrainConfig train;
    if (!arguments.common.run.empty())
        train = load_job_for_run(RunFolder{arguments.common.run}.job(), {}).train;
    train.seq_len = job.train.seq_len;
    if (arguments.batch_size > 0) train.batch_size = arguments.batch_size;
    if (arguments.eval_batches > 0) train.eval_batches = arguments.eval_batches;
    job.train = train;
    if (!arguments.common.eval.data.empty()) job.data.val = arguments.val_data;
    return job;
}

void check_memory(const Job& job, const LinearProbeOptions& options, int threads) {
    const int64_t bytes = linear_probe_bytes(job, options, threads), free = available_bytes();
    if (free > 0 && bytes > free)
        throw EnvironmentError(fmt::format("the probes take {} bytes, and {} are free",
                                           grouped_digits(bytes), grouped_digits(free)),
                               "give fewer --layers or --rates at a time, or --no-control");
}

LinearProbeResult train_probes(const ProbeInput& input, const Job& job, const BatchSource& data,
                               LinearProbeOptions options) {
    check_memory(job, options, input.device->threads());
    ProgressLine progress;
    options.on_step = [&, steps = options.steps](int64_t step, double) {
        progress.show(static_cast<double>(step) / static_cast<double>(steps));
    };
    return train_linear_probes(
        job, data, [&](ProbePass& pass) { pass.load(input.weights); }, options, *input.device);
}

void print_json(const ProbeInput& input, const LinearProbeResult& result) {
    ordered_json document{{"out", input.out.string()},
                          {"checkpoint", input.header.checkpoint},
                          {"step", input.header.step},
                          {"layer", result.layers},
                          {"val_loss", result.val_loss},
                          {"train_loss", result.train_loss},
                          {"lr", result.lr}};
    if (!result.control_val_loss.empty()) {
        document["control_val_loss"] = result.control_val_loss;
        document["selectivity"] = result.selectivity;
    }
    document["slope"] = result.slope;
    document["slope_layers"] = {result.slope_first, result.slope_last};
    fmt::print("{}\n", dump_text(document, 2));
}

std::string shown(double number) {
    return std::isfinite(number) ? fmt::format("{:.4f}", number) : "diverged";
}

void print_table(const ProbeInput& input, const LinearProbeResult& result) {
    const bool control = !result.control_val_loss.empty();
    fmt::print("{:>5} {:>10} {:>10} {:>8}{}\n", "layer", "val loss", "train loss", "lr",
               control ? fmt::format(" {:>10} {:>11}", "control", "selectivity") : "");
    for (size_t i = 0; i < result.layers.size(); ++i) {
        fmt::print("{:>5} {:>10} {:>10} {:>8.1e}", result.layers[i], shown(result.val_loss[i]),
                   shown(result.train_loss[i]), result.lr[i]);
        if (control)
            fmt::print(" {:>10} {:>11}", shown(result.control_val_loss[i]),
                       shown(result.selectivity[i]));
        fmt::print("\n");
    }
    if (std::isnan(result.slope))
        fmt::print("no slope: fewer than two of the layers {} to {} were probed\n",
                   result.slope_first, result.slope_last);
    else
        fmt::print("slope over layers {} to {}: {:.4f} nats per layer\n", result.slope_first,
                   result.slope_last, result.slope);
    fmt::print(stderr, "{}\n", input.out.string());
}

void check_fit(const LinearArguments& arguments, const ModelConfig& model) {
    if (arguments.fit.empty() || arguments.fit[1] < model.n_layer) return;
    throw UserError(fmt::format("--fit {},{}: the model's layers are 0 to {}", arguments.fit[0],
                                arguments.fit[1], model.n_layer - 1),
                    fmt::format("give a last layer of at most {}", model.n_layer - 1));
}

/// Fills `probe` in from the arguments that are written otherwise.
void settle(LinearArguments& arguments) {
    LinearProbeOptions& probe = arguments.probe;
    std::sort(probe.layers.begin(), probe.layers.end());
    probe.layers.erase(std::unique(probe.layers.begin(), probe.layers.end()), probe.layers.end());
    probe.control = !arguments.no_control;
    for (const double rate : probe.rates)
        if (!(rate > 0 && rate < 1e3))
            throw UserError(fmt::format("--rates: {} is no learning rate", rate),
                            "give positive numbers such as 1e-4,3e-4");
    if (arguments.fit.empty()) return;
    probe.fit_first = arguments.fit[0];
    probe.fit_last = arguments.fit[1];
    if (probe.fit_first >= probe.fit_last)
        throw UserError(fmt::format("--fit {},{} spans no layers", probe.fit_first, probe.fit_last),
                        "give the first and the last layer, such as 7,11");
}

void probe_linear(LinearArguments arguments) {
    settle(arguments);
    arguments.common.eval.batches = 1;
    if (arguments.batch_size > 0) arguments.common.eval.batch_size = arguments.batch_size;
    ProbeInput input = open_probe_input("linear", arguments.common);
    check_fit(arguments, input.job.model);
    Job job = probe_job(input, arguments);
    const OpenedData data = open_all_evaluation_data(input.weights, job, arguments.common.eval);
    resolve_vocab_size(job, *data.batches);
    input.header.text = job.data.train + ", " + job.data.val;
    const LinearProbeResult result = train_probes(input, job, *data.batches, arguments.probe);
    write_probe_file(input, [&](ArrayFileWriter& file) { write_linear_probe(file, result); });
    arguments.common.json ? print_json(input, result) : print_table(input, result);
}

void add_training_options(CLI::App& command, LinearArguments& arguments) {
    command.add_option("--steps", arguments.probe.steps, "Of the probes' training")
        ->check(CLI::Range(1, 1 << 30))
        ->capture_default_str();
    command
        .add_option("--rates", arguments.probe.rates,
                    "Learning rates; each layer takes the best on the validation data")
        ->delimiter(',')
        ->default_str("1e-4,2e-4,3e-4");
    command.add_option("--layers", arguments.probe.layers, "Layers to probe, from 0 (all)")
        ->delimiter(',')
        ->check(CLI::NonNegativeNumber);
    command.add_option("--fit", arguments.fit, "First and last layer of the slope (the deep half)")
        ->delimiter(',')
        ->expected(2)
        ->check(CLI::NonNegativeNumber);
    command.add_flag("--no-control", arguments.no_control,
                     "Leave out the control tasks and the selectivity; half the time");
    command.add_option("--batch-size", arguments.batch_size, "Sequences per batch (the run's)")
        ->check(CLI::Range(1, 65536));
    command
        .add_option("--eval-batches", arguments.eval_batches,
                    "Validation batches (train.eval_batches of the run)")
        ->check(CLI::Range(1, 1000000));
}

}  // namespace

void add_probe_linear_command(CLI::App& probe) {
    CLI::App* command = probe.add_subcommand(
        "linear", "Train a linear probe on each layer's output: loss by layer, slope, selectivity");
    const auto arguments = std::make_shared<LinearArguments>();
    add_probe_options(*command, arguments->common);
    for (const char* other : {"--tokens", "--prompt"})
        command->remove_option(command->get_option(other));
    command
        ->add_option("--val-data", arguments->val_data,
                     "With --data: what the loss is measured on, a spec or split:F")
        ->capture_default_str()
        ->needs(command->get_option("--data"));
    add_training_options(*command, *arguments);
    command->callback([arguments] { probe_linear(*arguments); });
}

}  // namespace headroom
