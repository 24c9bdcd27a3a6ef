#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/ops/attention.h"
#include "core/ops/bias.h"
#include "core/probe/loss_pass.h"
#include "core/probe/probe_kind.h"

namespace headroom {
namespace {

struct Numbers {
    double loss = 0;
    NumberArray zero, mean;  ///< [L, H]
};

/// The outputs of a layer's heads, and what each head's are multiplied with and moved by.
struct Outputs {
    ValueId made = kNoValue, scales = kNoValue, shifts = kNoValue;
    int64_t heads = 0, width = 0;
};

/// heads' = scale heads + shift, before W_O.
LossPass::Edit scale_and_shift(std::vector<Outputs>& layers) {
    return [&layers](GraphCopy& copy, int layer, Node attention) {
        const auto& options = dynamic_cast<const Attention&>(*attention.op).options();
        const ValueId made = attention.outputs.front();
        const TensorType type = copy.graph.value(made).type;
        const DType sums = accumulator_of(type.dtype);
        const std::string name = fmt::format("h.{}.attn.heads", layer);
        Outputs outputs{made, kNoValue, kNoValue, options.n_head, options.value_width()};
        outputs.scales =
            copy.graph.add_value(name + ".scale", {sums, {options.n_head}}, Role::kInput);
        outputs.shifts =
            copy.graph.add_value(name + ".shift", {sums, {type.columns()}}, Role::kInput);
        copy.append(std::move(attention));
        copy.graph.keep(made);
        const ValueId scaled = copy.apply(scaled_heads(outputs.heads, outputs.width),
                                          {made, outputs.scales}, name + ".scaled");
        copy.replace(made, copy.apply(std::make_shared<AddBias>(), {scaled, outputs.shifts},
                                      name + ".shifted"));
        layers.push_back(outputs);
    };
}

/// One model, ablated head by head.
class Ablation {
  public:
    explicit Ablation(const ProbeTask& task)
        : task_(task),
          pass_(task.weights.config(), task.shape(), scale_and_shift(layers_), task.device),
          asked_(task.asked()) {
        pass_.load(task.weights);
        for (const Outputs& outputs : layers_) {
            pass_.write(outputs.scales, std::vector<double>(heads_of(outputs), 1.0));
            pass_.write(outputs.shifts, std::vector<double>(columns_of(outputs), 0.0));
            means_.emplace_back(columns_of(outputs), 0.0);
        }
    }

    Numbers measure() {
        const auto n_layer = std::ssize(layers_);
        const int64_t n_head = layers_.front().heads;
        Numbers numbers;
        numbers.loss = pass_.loss(asked_, [this] { add_means(); });
        numbers.zero = numbers.mean = NumberArray::unknown({n_layer, n_head});
        for (int64_t layer = 0; layer < n_layer; ++layer)
            for (int64_t head = 0; head < n_head; ++head) {
                if (task_.keep_going && !task_.keep_going())
                    throw EnvironmentError("stopped before it was done");
                numbers.zero.at({layer, head}) = without(layer, head, false);
                numbers.mean.at({layer, head}) = without(layer, head, true);
                if (task_.progress)
                    task_.progress(static_cast<double>(layer * n_head + head + 1) /
                                   static_cast<double>(n_layer * n_head));
            }
        return numbers;
    }

  private:
    static size_t heads_of(const Outputs& outputs) { return static_cast<size_t>(outputs.heads); }
    static size_t columns_of(const Outputs& outputs) {
        return static_cast<size_t>(outputs.heads * outputs.width);
    }

    void add_means() {
        for (size_t l = 0; l < layers_.size(); ++l) pass_.add_row_means(layers_[l].made, means_[l]);
    }

    /// The loss with the head's output replaced by 0, or by its mean.
    double without(int64_t layer, int64_t head, bool by_mean) {
        const Outputs& outputs = layers_[static_cast<size_t>(layer)];
        std::vector<double> scales(heads_of(outputs), 1.0), shifts(columns_of(outputs), 0.0);
        scales[static_cast<size_t>(head)] = 0;
        const std::vector<double>& sums = means_[static_cast<size_t>(layer)];
        for (int64_t c = head * outputs.width; by_mean && c < (head + 1) * outputs.width; ++c)
            shifts[static_cast<size_t>(c)] =
                sums[static_cast<size_t>(c)] / static_cast<double>(task_.passes());
        pass_.write(outputs.scales, scales);
        pass_.write(outputs.shifts, shifts);
        const double loss = pass_.loss(asked_);
        pass_.write(outputs.scales, std::vector<double>(scales.size(), 1.0));
        pass_.write(outputs.shifts, std::vector<double>(shifts.size(), 0.0));
        return loss;
    }

    const ProbeTask& task_;
    std::vector<Outputs> layers_;
    LossPass pass_;
    Batch asked_;
    std::vector<std::vector<double>> means_;  ///< summed over the passes
};

std::string table(const Numbers& numbers) {
    std::string text = fmt::format(
        "loss {:.4f} nats; what it becomes without a head\n{:>5} {:>5} "
        "{:>10} {:>10}\n",
        numbers.loss, "layer", "head", "zero", "mean");
    for (int64_t layer = 0; layer < numbers.zero.shape[0]; ++layer)
        for (int64_t head = 0; head < numbers.zero.shape[1]; ++head)
            text += fmt::format("{:>5} {:>5} {:>+10.4f} {:>+10.4f}\n", layer, head,
                                numbers.zero.at({layer, head}) - numbers.loss,
                                numbers.mean.at({layer, head}) - numbers.loss);
    return text;
}

void write(const Numbers& numbers, ArrayFileWriter& file) {
    file.add("/ablation/loss", {1}, std::vector<double>{numbers.loss}, "nats");
    file.add("/ablation/zero", numbers.zero.shape, numbers.zero.values, "nats");
    file.add("/ablation/mean", numbers.mean.shape, numbers.mean.values, "nats");
    file.plot_hint({"/ablation", "zero"});
}

ProbeFindings measure(const ProbeTask& task) {
    const auto numbers = std::make_shared<const Numbers>(Ablation(task).measure());
    return {[numbers](ArrayFileWriter& file) { write(*numbers, file); },
            [numbers] { return table(*numbers); },
            [numbers](nlohmann::ordered_json& document) {
                document["loss"] = numbers->loss;
                document["zero"] = to_json(numbers->zero);
                document["mean"] = to_json(numbers->mean);
            }};
}

int64_t bytes(const Job& job, const ProbeConfig& config, int threads) {
    std::vector<Outputs> layers;
    return LossPass::memory(job.model, live_probe_shape(job, config), scale_and_shift(layers),
                            threads)
        .total;
}

}  // namespace

ProbeKind ablation_probe() {
    return {{.kind = "ablation",
             .help = "The loss without each head: its output before W_O replaced by 0, or by its "
                     "mean over the probed positions",
             .batch_size = 4},
            nullptr,
            measure,
            bytes};
}

}  // namespace headroom
