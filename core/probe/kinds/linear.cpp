#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/digits.h"
#include "core/base/error.h"
#include "core/base/system_info.h"
#include "core/probe/linear_probe_file.h"
#include "core/probe/probe_kind.h"

namespace headroom::kinds::linear {
namespace {

LinearProbeOptions options_of(const ProbeValues& values) {
    LinearProbeOptions options;
    options.steps = values.get<int64_t>("steps");
    options.control = values.get<bool>("control");
    const auto& rates = values.get<std::vector<double>>("rates");
    for (const double rate : rates)
        if (!(rate > 0 && rate < 1e3))
            throw UserError(fmt::format("--rates: {} is no learning rate", rate),
                            "give positive numbers such as 1e-4,3e-4");
    if (!rates.empty()) options.rates = rates;
    options.layers = values.get<std::vector<int64_t>>("layers");
    std::sort(options.layers.begin(), options.layers.end());
    options.layers.erase(std::unique(options.layers.begin(), options.layers.end()),
                         options.layers.end());
    return options;
}

/// First and last layer of the slope.
void take_fit(const ProbeValues& values, const ModelConfig& model, LinearProbeOptions& options) {
    const auto& fit = values.get<std::vector<int64_t>>("fit");
    if (fit.empty()) return;
    if (fit.size() != 2 || fit[0] >= fit[1])
        throw UserError(fmt::format("--fit {} spans no layers", fmt::join(fit, ",")),
                        "give the first and the last layer, such as 7,11");
    if (fit[1] >= model.n_layer)
        throw UserError(fmt::format("--fit {},{}: the model's layers are 0 to {}", fit[0], fit[1],
                                    model.n_layer - 1),
                        fmt::format("give a last layer of at most {}", model.n_layer - 1));
    options.fit_first = static_cast<int>(fit[0]);
    options.fit_last = static_cast<int>(fit[1]);
}

void check_memory(const Job& job, const LinearProbeOptions& options, int threads) {
    const int64_t bytes = linear_probe_bytes(job, options, threads), free = available_bytes();
    if (free > 0 && bytes > free)
        throw EnvironmentError(fmt::format("the probes take {} bytes, and {} are free",
                                           grouped_digits(bytes), grouped_digits(free)),
                               "give fewer --layers or --rates at a time, or --no-control");
}

std::string shown(double number) {
    return std::isfinite(number) ? fmt::format("{:.4f}", number) : "diverged";
}

std::string table(const LinearProbeResult& result) {
    const bool control = !result.control_val_loss.empty(), classes = !result.val_accuracy.empty();
    std::string text =
        fmt::format("{:>5} {:>10} {:>10} {:>8}{}{}\n", "layer", "val loss", "train loss", "lr",
                    control ? fmt::format(" {:>10} {:>11}", "control", "selectivity") : "",
                    classes ? fmt::format(" {:>9}", "accuracy") : "");
    for (size_t i = 0; i < result.layers.size(); ++i) {
        text += fmt::format("{:>5} {:>10} {:>10} {:>8.1e}", result.layers[i],
                            shown(result.val_loss[i]), shown(result.train_loss[i]), result.lr[i]);
        if (control)
            text += fmt::format(" {:>10} {:>11}", shown(result.control_val_loss[i]),
                                shown(result.selectivity[i]));
        if (classes) text += fmt::format(" {:>9.4f}", result.val_accuracy[i]);
        text += "\n";
    }
    if (std::isnan(result.slope))
        return text + fmt::format("no slope: fewer than two of the layers {} to {} were probed\n",
                                  result.slope_first, result.slope_last);
    return text + fmt::format("slope over layers {} to {}: {:.4f} nats per layer\n",
                              result.slope_first, result.slope_last, result.slope);
}

void report(const LinearProbeResult& result, nlohmann::ordered_json& document) {
    document["layer"] = result.layers;
    document["val_loss"] = result.val_loss;
    document["train_loss"] = result.train_loss;
    document["lr"] = result.lr;
    if (!result.control_val_loss.empty()) {
        document["control_val_loss"] = result.control_val_loss;
        document["selectivity"] = result.selectivity;
    }
    if (!result.val_accuracy.empty()) document["val_accuracy"] = result.val_accuracy;
    document["slope"] = result.slope;
    document["slope_layers"] = {result.slope_first, result.slope_last};
}

ProbeFindings measure(const ProbeTask& task) {
    CHECK(task.data != nullptr, "linear probes train on data");
    LinearProbeOptions options = options_of(task.options);
    take_fit(task.options, task.job.model, options);
    options.keep_going = task.keep_going;
    if (task.progress)
        options.on_step = [&task, steps = options.steps](int64_t step, double) {
            task.progress(static_cast<double>(step) / static_cast<double>(steps));
        };
    check_memory(task.job, options, task.device.threads());
    const auto result = std::make_shared<const LinearProbeResult>(train_linear_probes(
        task.job, *task.data, [&](ProbePass& pass) { pass.load(task.weights); }, options,
        task.device));
    return {[result](ArrayFileWriter& file) { write_linear_probe(file, *result); },
            [result] { return table(*result); },
            [result](nlohmann::ordered_json& document) { report(*result, document); }};
}

int64_t bytes(const Job& job, const ProbeConfig& config, int threads) {
    return linear_probe_bytes(job, options_of(values_of(config)), threads);
}

std::vector<ProbeScalar> scalars(const ProbeConfig&) {
    return {{{"linear_slope", "nats per layer",
              "Slope of the linear probes' validation loss over the deep half of the layers"},
             [](const ArrayFile& file) { return read_linear_probe(file).slope; }}};
}

std::vector<ProbeOption> options() {
    return {{.name = "steps",
             .help = "Of the probes' training",
             .standard = int64_t{4000},
             .minimum = 1},
            {.name = "rates",
             .help = "Learning rates; each layer takes the best on the validation data",
             .standard = std::vector<double>{},
             .maximum = 100,
             .standard_text = "1e-4,2e-4,3e-4"},
            {.name = "control",
             .help = "Control tasks and the selectivity; twice the time; not of images",
             .standard = true},
            {.name = "layers",
             .help = "Layers to probe, from 0",
             .standard = std::vector<int64_t>{},
             .standard_text = "all",
             .command_only = true},
            {.name = "fit",
             .help = "First and last layer of the slope",
             .standard = std::vector<int64_t>{},
             .standard_text = "the deep half",
             .command_only = true}};
}

}  // namespace

ProbeKind kind() {
    return {{.kind = "linear",
             .help = "Train a linear probe on each layer's output: loss by layer, slope, "
                     "selectivity",
             .tokens = ProbeTokenUse::kTrainingData,
             .options = options(),
             .of_images = true},
            nullptr,
            measure,
            bytes,
            scalars};
}

}  // namespace headroom::kinds::linear
