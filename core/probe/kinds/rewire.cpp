#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/probe/loss_pass.h"
#include "core/probe/probe_datasets.h"
#include "core/probe/probe_kind.h"
#include "core/probe/source_choice.h"

namespace headroom::kinds::rewire {
namespace {

struct Numbers {
    double loss = 0;
    NumberArray keys, values;  ///< [L, n_kv_head, L]
};

/// One model, re-wired one head at a time.
class Rewiring {
  public:
    explicit Rewiring(const ProbeTask& task)
        : task_(task),
          pass_(task.weights.config(), task.shape(), choice_.edit(), task.device),
          asked_(task.asked()) {
        pass_.load(task.weights);
        choice_.reset(pass_);
    }

    Numbers measure() {
        const int64_t n_layer = choice_.keys().n_layer();
        total_ = (1 + choice_.keys().heads * n_layer * (n_layer - 1)) * task_.passes();
        Numbers numbers;
        numbers.loss = loss();
        numbers.keys = losses(choice_.keys(), numbers.loss);
        numbers.values = losses(choice_.values(), numbers.loss);
        return numbers;
    }

  private:
    NumberArray losses(const SourceChoice::Table& table, double own_loss) {
        const int64_t n_layer = table.n_layer();
        NumberArray all = NumberArray::unknown({n_layer, table.heads, n_layer});
        for (int64_t layer = 0; layer < n_layer; ++layer) {
            std::vector<int64_t> sources(static_cast<size_t>(table.heads), layer);
            for (int64_t head = 0; head < table.heads; ++head) {
                all.at({layer, head, layer}) = own_loss;
                int64_t& source = sources[static_cast<size_t>(head)];
                for (source = 0; source < layer; ++source) {
                    SourceChoice::choose(pass_, table, layer, sources);
                    all.at({layer, head, source}) = loss();
                }
            }
            SourceChoice::choose(pass_, table, layer, sources);  // its own again
        }
        return all;
    }

    double loss() {
        return pass_.loss(asked_, {.before = [this](int64_t) { task_.check_going(); },
                                   .after = [this](double) { tell(); }});
    }
    void tell() {
        if (task_.progress)
            task_.progress(static_cast<double>(++done_) / static_cast<double>(total_));
    }

    const ProbeTask& task_;
    SourceChoice choice_;
    LossPass pass_;
    Batch asked_;
    int64_t done_ = 0, total_ = 1;
};

/// The other layer that costs each head least.
std::string table(const Numbers& numbers) {
    std::string text = fmt::format(
        "loss {:.4f} nats; the best other layer to read from\n{:>5} "
        "{:>5} {:>16} {:>16}\n",
        numbers.loss, "layer", "head", "keys", "values");
    const auto best = [&](const NumberArray& losses, int64_t layer, int64_t head) {
        int64_t from = 0;
        for (int64_t source = 1; source < layer; ++source)
            if (losses.at({layer, head, source}) < losses.at({layer, head, from})) from = source;
        return fmt::format("{:>3} {:>12}", from,
                           change_text(losses.at({layer, head, from}) - numbers.loss));
    };
    for (int64_t layer = 1; layer < numbers.keys.shape[0]; ++layer)
        for (int64_t head = 0; head < numbers.keys.shape[1]; ++head)
            text += fmt::format("{:>5} {:>5} {:>16} {:>16}\n", layer, head,
                                best(numbers.keys, layer, head), best(numbers.values, layer, head));
    return text;
}

void write(const Numbers& numbers, ArrayFileWriter& file) {
    file.add(kRewireLoss, {1}, std::vector<double>{numbers.loss}, "nats");
    file.add(kRewireKeys, numbers.keys.shape, numbers.keys.values, "nats");
    file.add(kRewireValues, numbers.values.shape, numbers.values.values, "nats");
    file.plot_hint({"/rewire", "values"});
}

ProbeFindings measure(const ProbeTask& task) {
    const auto numbers = std::make_shared<const Numbers>(Rewiring(task).measure());
    return {[numbers](ArrayFileWriter& file) { write(*numbers, file); },
            [numbers] { return table(*numbers); },
            [numbers](nlohmann::ordered_json& document) {
                document["loss"] = numbers->loss;
                document["keys"] = to_json(numbers->keys);
                document["values"] = to_json(numbers->values);
            }};
}

int64_t bytes(const Job& job, const ProbeConfig& config, int threads) {
    SourceChoice choice;
    return LossPass::memory(job.model, live_probe_shape(job, config), choice.edit(), threads).total;
}

}  // namespace

ProbeKind kind() {
    return {{.kind = "rewire",
             .help = "The loss when the key or the value of one head is read from another layer",
             .batch_size = 4,
             .of_images = true},
            nullptr,
            measure,
            bytes};
}

}  // namespace headroom::kinds::rewire
