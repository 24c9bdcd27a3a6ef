#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/ops/attention.h"
#include "core/ops/column_mix.h"
#include "core/probe/loss_pass.h"
#include "core/probe/probe_kind.h"

namespace headroom {
namespace {

/// Where a key or value head lies that an attention reads.
struct Place {
    ValueId tensor = kNoValue;  ///< kNoValue: it is zero
    int64_t first = 0;          ///< column
};

/// The keys, or the values, of all layers.
struct Table {
    std::vector<std::vector<Place>> read;  ///< [layer][head], as the model has them
    std::vector<ValueId> sources;          ///< inputs [l + 1, heads]: shares of layers 0 to l
    int64_t heads = 0, width = 0;
};

struct Tables {
    Table keys, values;
};

/// Every head of the layer as a sum of what layers 0 to `layer` read, by their shares.
ValueId add_choice(GraphCopy& copy, int layer, const std::string& name, DType sums,
                   ValueId stand_in, Table& table) {
    ColumnMixOptions mix;
    std::vector<ValueId> inputs;
    const auto index_of = [&](ValueId tensor) {
        for (size_t i = 0; i < inputs.size(); ++i)
            if (inputs[i] == tensor) return static_cast<int>(i);
        inputs.push_back(tensor);
        return static_cast<int>(inputs.size()) - 1;
    };
    for (int64_t head = 0; head < table.heads; ++head) {
        MixPiece piece{table.width, {}};
        for (int64_t source = 0; source <= layer; ++source) {
            const Place& place = table.read[static_cast<size_t>(source)][static_cast<size_t>(head)];
            if (place.tensor != kNoValue)
                piece.terms.push_back({index_of(place.tensor), place.first, 0.0, 1.0, 0,
                                       source * table.heads + head});
        }
        mix.pieces.push_back(std::move(piece));
    }
    if (inputs.empty()) inputs.push_back(stand_in);  // every head is zero
    mix.n_data = inputs.size();
    const ValueId shares =
        copy.graph.add_value(name + ".sources", {sums, {layer + 1, table.heads}}, Role::kInput);
    table.sources.push_back(shares);
    inputs.push_back(shares);
    return copy.apply(std::make_shared<ColumnMix>(std::move(mix)), std::move(inputs), name);
}

std::vector<Place> places_of(const Node& attention, const std::vector<HeadRef>& refs,
                             int64_t width) {
    std::vector<Place> places;
    for (const HeadRef& ref : refs)
        places.push_back(ref.input < 0 ? Place{}
                                       : Place{attention.inputs[static_cast<size_t>(ref.input)],
                                               ref.head * width});
    return places;
}

/// Attention that reads chosen keys and values.
LossPass::Edit choose_sources(Tables& tables) {
    return [&tables](GraphCopy& copy, int layer, Node attention) {
        AttentionOptions options = dynamic_cast<const Attention&>(*attention.op).options();
        const DType sums = accumulator_of(copy.graph.value(attention.outputs.front()).type.dtype);
        std::vector<ValueId> inputs{attention.inputs.front()};
        const auto choose = [&](Table& table, std::vector<HeadRef>& refs, int64_t width,
                                const char* letter) {
            table.heads = options.n_kv_head;
            table.width = width;
            table.read.push_back(places_of(attention, refs, width));
            const std::string name = fmt::format("h.{}.attn.{}.chosen", layer, letter);
            inputs.push_back(add_choice(copy, layer, name, sums, inputs.front(), table));
            for (size_t head = 0; head < refs.size(); ++head)
                refs[head] = {static_cast<int>(inputs.size()) - 1, static_cast<int>(head)};
        };
        choose(tables.keys, options.key_heads, options.d_head, "k");
        choose(tables.values, options.value_heads, options.value_width(), "v");
        attention.inputs = std::move(inputs);
        attention.op = std::make_shared<Attention>(std::move(options));
        copy.append(std::move(attention));
    };
}

struct Numbers {
    double loss = 0;
    NumberArray keys, values;  ///< [L, n_kv_head, L]
};

/// One model, re-wired one head at a time.
class Rewiring {
  public:
    explicit Rewiring(const ProbeTask& task)
        : task_(task),
          pass_(task.weights.config(), task.shape(), choose_sources(tables_), task.device),
          asked_(task.asked()) {
        pass_.load(task.weights);
        for (const Table* table : {&tables_.keys, &tables_.values})
            for (size_t layer = 0; layer < table->sources.size(); ++layer) read_own(*table, layer);
    }

    Numbers measure() {
        const auto n_layer = std::ssize(tables_.keys.read);
        total_ = tables_.keys.heads * n_layer * (n_layer - 1);
        Numbers numbers;
        numbers.loss = pass_.loss(asked_);
        numbers.keys = losses(tables_.keys, numbers.loss);
        numbers.values = losses(tables_.values, numbers.loss);
        return numbers;
    }

  private:
    std::vector<double> own(const Table& table, size_t layer) const {
        const auto heads = static_cast<size_t>(table.heads);
        std::vector<double> shares((layer + 1) * heads, 0.0);
        std::fill(shares.end() - static_cast<std::ptrdiff_t>(heads), shares.end(), 1.0);
        return shares;
    }
    void read_own(const Table& table, size_t layer) {
        pass_.write(table.sources[layer], own(table, layer));
    }

    NumberArray losses(const Table& table, double loss) {
        const auto n_layer = std::ssize(table.read);
        NumberArray all = NumberArray::unknown({n_layer, table.heads, n_layer});
        for (int64_t layer = 0; layer < n_layer; ++layer) {
            for (int64_t head = 0; head < table.heads; ++head) {
                all.at({layer, head, layer}) = loss;
                for (int64_t source = 0; source < layer; ++source)
                    all.at({layer, head, source}) = rewired(table, layer, head, source);
            }
            read_own(table, static_cast<size_t>(layer));
        }
        return all;
    }

    double rewired(const Table& table, int64_t layer, int64_t head, int64_t source) {
        if (task_.keep_going && !task_.keep_going())
            throw EnvironmentError("stopped before it was done");
        std::vector<double> shares = own(table, static_cast<size_t>(layer));
        shares[static_cast<size_t>(layer * table.heads + head)] = 0;
        shares[static_cast<size_t>(source * table.heads + head)] = 1;
        pass_.write(table.sources[static_cast<size_t>(layer)], shares);
        const double loss = pass_.loss(asked_);
        if (task_.progress)
            task_.progress(static_cast<double>(++done_) / static_cast<double>(total_));
        return loss;
    }

    const ProbeTask& task_;
    Tables tables_;
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
        return fmt::format("{:>3} {:>+12.4f}", from, losses.at({layer, head, from}) - numbers.loss);
    };
    for (int64_t layer = 1; layer < numbers.keys.shape[0]; ++layer)
        for (int64_t head = 0; head < numbers.keys.shape[1]; ++head)
            text += fmt::format("{:>5} {:>5} {:>16} {:>16}\n", layer, head,
                                best(numbers.keys, layer, head), best(numbers.values, layer, head));
    return text;
}

void write(const Numbers& numbers, ArrayFileWriter& file) {
    file.add("/rewire/loss", {1}, std::vector<double>{numbers.loss}, "nats");
    file.add("/rewire/keys", numbers.keys.shape, numbers.keys.values, "nats");
    file.add("/rewire/values", numbers.values.shape, numbers.values.values, "nats");
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
    Tables tables;
    return LossPass::memory(job.model, live_probe_shape(job, config), choose_sources(tables),
                            threads)
        .total;
}

}  // namespace

ProbeKind rewire_probe() {
    return {{.kind = "rewire",
             .help = "The loss when the key or the value of one head is read from another layer",
             .batch_size = 4},
            nullptr,
            measure,
            bytes};
}

}  // namespace headroom
