#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/ops/add.h"
#include "core/ops/attention.h"
#include "core/ops/bias.h"
#include "core/probe/loss_pass.h"
#include "core/probe/probe_datasets.h"
#include "core/probe/probe_kind.h"
#include "core/probe/token_similarity.h"

namespace headroom::kinds::ablation {
namespace {

struct Numbers {
    double loss = 0;
    NumberArray zero, mean, resampled, similarity;  ///< [L, H]
};

/// The outputs of a layer's heads, and what they become: scales made + shifts + others.
struct Outputs {
    ValueId made = kNoValue;    ///< [rows, heads * width]
    ValueId scales = kNoValue;  ///< [heads]
    ValueId shifts = kNoValue;  ///< [heads * width]
    ValueId others = kNoValue;  ///< as made
    int64_t heads = 0, width = 0, rows = 0;

    int64_t columns() const { return heads * width; }
};

/// heads' = scale heads + shift + other, before W_O.
LossPass::Edit replaceable_heads(std::vector<Outputs>& layers) {
    return [&layers](GraphCopy& copy, int layer, Node attention) {
        const auto& options = dynamic_cast<const Attention&>(*attention.op).options();
        const ValueId made = attention.outputs.front();
        const TensorType type = copy.graph.value(made).type;
        const DType sums = accumulator_of(type.dtype);
        const std::string name = fmt::format("h.{}.attn.heads", layer);
        Outputs outputs{.made = made, .heads = options.n_head, .width = options.value_width()};
        outputs.rows = type.rows();
        const auto input = [&](const char* what, const TensorType& of) {
            return copy.graph.add_value(name + what, of, Role::kInput);
        };
        outputs.scales = input(".scale", {sums, {outputs.heads}});
        outputs.shifts = input(".shift", {sums, {outputs.columns()}});
        outputs.others = input(".other", type);
        copy.append(std::move(attention));
        copy.graph.keep(made);
        const ValueId scaled = copy.apply(scaled_heads(outputs.heads, outputs.width),
                                          {made, outputs.scales}, name + ".scaled");
        const ValueId shifted =
            copy.apply(std::make_shared<AddBias>(), {scaled, outputs.shifts}, name + ".shifted");
        copy.replace(made, copy.apply(std::make_shared<Add>(), {shifted, outputs.others},
                                      name + ".replaced"));
        layers.push_back(outputs);
    };
}

/// What the heads of a layer give for every sequence.
class HeadOutputs {
  public:
    HeadOutputs(const Outputs& of, int64_t sequences) : of_(of), rows_(0), sequences_(sequences) {}

    /// The next pass.
    void add(const std::vector<double>& made) {
        made_.insert(made_.end(), made.begin(), made.end());
        rows_ += of_.rows;
    }

    /// Of the head's columns, over all rows; elsewhere 0.
    std::vector<double> mean(int64_t head) const {
        std::vector<double> sums(static_cast<size_t>(of_.columns()), 0.0);
        for (int64_t row = 0; row < rows_; ++row)
            for (int64_t c = head * of_.width; c < (head + 1) * of_.width; ++c)
                sums[static_cast<size_t>(c)] += at(row, c);
        for (double& sum : sums) sum /= static_cast<double>(rows_);
        return sums;
    }

    /// For one pass: the head's columns of the sequence that follows each; elsewhere 0.
    std::vector<double> of_the_next(int64_t head, int64_t pass) const {
        std::vector<double> others(static_cast<size_t>(of_.rows * of_.columns()), 0.0);
        const int64_t length = rows_ / sequences_;
        for (int64_t row = 0; row < of_.rows; ++row) {
            const int64_t donor = (pass * of_.rows + row + length) % rows_;
            for (int64_t c = head * of_.width; c < (head + 1) * of_.width; ++c)
                others[static_cast<size_t>(row * of_.columns() + c)] = at(donor, c);
        }
        return others;
    }

    /// Of each head the largest cosine with another, each flattened over a sequence and its width,
    /// the mean over the sequences; NaN where there is no other.
    std::vector<double> similarities() const {
        std::vector<double> sums(static_cast<size_t>(of_.heads * of_.heads), 0.0);
        for (int64_t s = 0; s < sequences_; ++s) {
            const NumberArray one = cosines(flattened(s));
            for (size_t i = 0; i < sums.size(); ++i) sums[i] += one.values[i];
        }
        std::vector<double> most(static_cast<size_t>(of_.heads), std::nan(""));
        for (int64_t a = 0; a < of_.heads; ++a)
            for (int64_t b = 0; b < of_.heads; ++b)
                if (a != b)
                    most[static_cast<size_t>(a)] = std::fmax(
                        most[static_cast<size_t>(a)], sums[static_cast<size_t>(a * of_.heads + b)] /
                                                          static_cast<double>(sequences_));
        return most;
    }

  private:
    double at(int64_t row, int64_t column) const {
        return made_[static_cast<size_t>(row * of_.columns() + column)];
    }
    /// A row for each head.
    TokenMatrix flattened(int64_t sequence) const {
        const int64_t length = rows_ / sequences_;
        TokenMatrix matrix{of_.heads, length * of_.width, {}};
        for (int64_t head = 0; head < of_.heads; ++head)
            for (int64_t row = sequence * length; row < (sequence + 1) * length; ++row)
                for (int64_t c = head * of_.width; c < (head + 1) * of_.width; ++c)
                    matrix.values.push_back(at(row, c));
        return matrix;
    }

    Outputs of_;
    int64_t rows_, sequences_;
    std::vector<double> made_;
};

/// One model, ablated head by head.
class Ablation {
  public:
    explicit Ablation(const ProbeTask& task)
        : task_(task),
          pass_(task.weights.config(), task.shape(), replaceable_heads(layers_), task.device),
          asked_(task.asked()) {
        pass_.load(task.weights);
        for (const Outputs& outputs : layers_) leave(outputs);
    }

    Numbers measure() {
        const auto n_layer = std::ssize(layers_);
        const int64_t n_head = layers_.front().heads;
        total_ = n_layer * (1 + 3 * n_head) * task_.passes();
        Numbers numbers;
        numbers.zero = numbers.mean = numbers.resampled = numbers.similarity =
            NumberArray::unknown({n_layer, n_head});
        for (int64_t layer = 0; layer < n_layer; ++layer) {
            const Outputs& outputs = layers_[static_cast<size_t>(layer)];
            HeadOutputs heads(outputs, task_.tokens.batch_size);
            numbers.loss = loss({.after = [&](double) { heads.add(pass_.read(outputs.made)); }});
            const std::vector<double> similarities = heads.similarities();
            for (int64_t head = 0; head < n_head; ++head) {
                numbers.zero.at({layer, head}) = without(outputs, head, {});
                numbers.mean.at({layer, head}) = without(outputs, head, heads.mean(head));
                if (task_.tokens.batch_size > 1)
                    numbers.resampled.at({layer, head}) = exchanged(outputs, head, heads);
                numbers.similarity.at({layer, head}) = similarities[static_cast<size_t>(head)];
            }
        }
        return numbers;
    }

  private:
    /// As the model is.
    void leave(const Outputs& outputs) {
        pass_.write(outputs.scales, std::vector<double>(static_cast<size_t>(outputs.heads), 1.0));
        pass_.write(outputs.shifts,
                    std::vector<double>(static_cast<size_t>(outputs.columns()), 0.0));
        pass_.write(
            outputs.others,
            std::vector<double>(static_cast<size_t>(outputs.rows * outputs.columns()), 0.0));
    }
    void take_out(const Outputs& outputs, int64_t head) {
        std::vector<double> scales(static_cast<size_t>(outputs.heads), 1.0);
        scales[static_cast<size_t>(head)] = 0;
        pass_.write(outputs.scales, scales);
    }

    /// The loss with numbers in place of the head's output, the same for every token; none: zero.
    double without(const Outputs& outputs, int64_t head, const std::vector<double>& in_its_place) {
        take_out(outputs, head);
        if (!in_its_place.empty()) pass_.write(outputs.shifts, in_its_place);
        const double lost = loss({});
        leave(outputs);
        return lost;
    }

    /// The loss with what the head gives for the next of the sequences, the last's for the first.
    double exchanged(const Outputs& outputs, int64_t head, const HeadOutputs& heads) {
        take_out(outputs, head);
        const double lost = loss({.before = [&](int64_t pass) {
            pass_.write(outputs.others, heads.of_the_next(head, pass));
        }});
        leave(outputs);
        return lost;
    }

    double loss(const LossPassHooks& hooks) {
        return pass_.loss(asked_, {.before =
                                       [&](int64_t pass) {
                                           task_.check_going();
                                           if (hooks.before) hooks.before(pass);
                                       },
                                   .after =
                                       [&](double nats) {
                                           if (hooks.after) hooks.after(nats);
                                           tell();
                                       }});
    }
    void tell() {
        if (task_.progress)
            task_.progress(
                std::min(1.0, static_cast<double>(++done_) / static_cast<double>(total_)));
    }

    const ProbeTask& task_;
    std::vector<Outputs> layers_;
    LossPass pass_;
    Batch asked_;
    int64_t done_ = 0, total_ = 1;
};

/// What is told of every head, by the names of the file.
std::vector<std::pair<const char*, const NumberArray*>> columns_of(const Numbers& numbers) {
    return {{"zero", &numbers.zero},
            {"mean", &numbers.mean},
            {"resampled", &numbers.resampled},
            {"similarity", &numbers.similarity}};
}

std::string table(const Numbers& numbers) {
    std::string text = fmt::format("loss {:.4f} nats; how it changes without a head\n{:>5} {:>5}",
                                   numbers.loss, "layer", "head");
    for (const auto& [name, array] : columns_of(numbers)) text += fmt::format(" {:>10}", name);
    text += "\n";
    const auto shown = [&](const NumberArray& array, int64_t layer, int64_t head) {
        const double number = array.at({layer, head});
        if (!std::isfinite(number)) return std::string("-");
        return &array == &numbers.similarity ? fmt::format("{:.4f}", number)
                                             : change_text(number - numbers.loss);
    };
    for (int64_t layer = 0; layer < numbers.zero.shape[0]; ++layer)
        for (int64_t head = 0; head < numbers.zero.shape[1]; ++head) {
            text += fmt::format("{:>5} {:>5}", layer, head);
            for (const auto& [name, array] : columns_of(numbers))
                text += fmt::format(" {:>10}", shown(*array, layer, head));
            text += "\n";
        }
    return text;
}

void write(const Numbers& numbers, ArrayFileWriter& file) {
    file.add(kAblationLoss, {1}, std::vector<double>{numbers.loss}, "nats");
    for (const auto& [name, array] : columns_of(numbers))
        file.add(ablation_path(name), array->shape, array->values,
                 array == &numbers.similarity ? "" : "nats");
    file.plot_hint({"/ablation", "zero"});
}

ProbeFindings measure(const ProbeTask& task) {
    const auto numbers = std::make_shared<const Numbers>(Ablation(task).measure());
    return {[numbers](ArrayFileWriter& file) { write(*numbers, file); },
            [numbers] { return table(*numbers); },
            [numbers](nlohmann::ordered_json& document) {
                document["loss"] = numbers->loss;
                for (const auto& [name, array] : columns_of(*numbers))
                    document[name] = to_json(*array);
            }};
}

int64_t bytes(const Job& job, const ProbeConfig& config, int threads) {
    std::vector<Outputs> layers;
    return LossPass::memory(job.model, live_probe_shape(job, config), replaceable_heads(layers),
                            threads)
        .total;
}

}  // namespace

ProbeKind kind() {
    return {{.kind = "ablation",
             .help = "The loss without each head: its output before W_O replaced by 0, by its mean "
                     "over the probed positions, or by that of another sequence; and how alike "
                     "the heads of a layer are",
             .batch_size = 4,
             .of_images = true},
            nullptr,
            measure,
            bytes};
}

}  // namespace headroom::kinds::ablation
