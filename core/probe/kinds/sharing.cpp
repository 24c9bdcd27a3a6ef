#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/enum_names.h"
#include "core/probe/loss_pass.h"
#include "core/probe/probe_datasets.h"
#include "core/probe/probe_kind.h"
#include "core/probe/source_choice.h"

namespace headroom::kinds::sharing {
namespace {

/// A layer that reads the keys and values of an earlier one, with all those before it in the order.
struct Step {
    int64_t reader = 0, source = 0;
    double distance = 0, cosine = 0, loss = 0;
};

struct Numbers {
    double loss = 0;
    NumberArray distance;  ///< [L, L], NaN for s >= reader
    std::vector<Step> steps;
};

struct LayerPair {
    int64_t reader = 0, source = 0;
    double distance = 0;
};

/// The keys and values of every layer, averaged over the sequences: float64 [heads * T, width].
class MeanCaches {
  public:
    explicit MeanCaches(const ProbeTask& task) : model_(task.weights.config()) {
        caches_.resize(static_cast<size_t>(2 * model_.n_layer));
        run_passes(task, ProbeTaps::all_attention(model_),
                   [&](const ProbePass& pass, std::span<const int32_t>) {
                       task.check_going();
                       for (int64_t b = 0; b < task.pass_rows; ++b) add(pass, b);
                   });
        for (std::vector<double>& cache : caches_)
            for (double& number : cache) number /= static_cast<double>(task.tokens.batch_size);
    }

    /// The mean of the Euclidean distances of keys and of values, each over heads and positions.
    double distance(int64_t a, int64_t b) const {
        return (distance_of(0, a, b) + distance_of(1, a, b)) / 2;
    }

  private:
    std::vector<double>& cache(int part, int64_t layer) {
        return caches_[static_cast<size_t>(2 * layer + part)];
    }

    void add(const ProbePass& pass, int64_t b) {
        const int64_t group = model_.n_head / model_.n_kv_head;
        for (int64_t layer = 0; layer < model_.n_layer; ++layer)
            for (const int part : {0, 1}) {
                std::vector<double>& sums = cache(part, layer);
                size_t at = 0;
                for (int64_t g = 0; g < model_.n_kv_head; ++g) {
                    const TokenMatrix head =
                        pass.head(static_cast<int>(layer), static_cast<int>(g * group),
                                  part == 0 ? HeadPart::kKey : HeadPart::kValue, b);
                    width_[part] = head.columns;
                    sums.resize(static_cast<size_t>(model_.n_kv_head) * head.values.size());
                    for (const double number : head.values) sums[at++] += number;
                }
            }
    }

    double distance_of(int part, int64_t a, int64_t b) const {
        const std::vector<double>& x = caches_[static_cast<size_t>(2 * a + part)];
        const std::vector<double>& y = caches_[static_cast<size_t>(2 * b + part)];
        const auto width = static_cast<size_t>(width_[part]);
        double sum = 0;
        for (size_t row = 0; row < x.size(); row += width) {
            double squares = 0;
            for (size_t i = row; i < row + width; ++i) squares += (x[i] - y[i]) * (x[i] - y[i]);
            sum += std::sqrt(squares);
        }
        const size_t rows = x.size() / width;
        return sum / static_cast<double>(rows);
    }

    const ModelConfig& model_;
    std::vector<std::vector<double>> caches_;  ///< by layer: keys, values
    int64_t width_[2] = {1, 1};
};

/// [KVSHARER] Yang et al. 2024, arXiv:2410.18517, section 3 and the authors' program: pairs of
/// layers by falling distance of their mean caches; the upper one reads the lower one's if the last
/// hidden state keeps a cosine above a threshold to that of the model as it is.
class Sharing {
  public:
    explicit Sharing(const ProbeTask& task)
        : task_(task),
          model_(task.weights.config()),
          pass_(model_, task.shape(), choice_.edit(), task.device, LossPass::Keep::kFeatures),
          asked_(task.asked()),
          source_of_(static_cast<size_t>(model_.n_layer)) {
        pass_.load(task.weights);
        if (const auto asked = task.options.get<int64_t>("layers"); asked >= model_.n_layer)
            throw UserError(fmt::format("--layers {} is more than can share: the model has {} of "
                                        "them, and the first has nothing to read",
                                        asked, model_.n_layer),
                            fmt::format("give at most {}", model_.n_layer - 1));
        choice_.reset(pass_);
        std::iota(source_of_.begin(), source_of_.end(), int64_t{0});
    }

    Numbers measure() {
        Numbers numbers;
        const std::vector<LayerPair> pairs = pairs_by_distance(numbers.distance);
        const int64_t asked = task_.options.get<int64_t>("layers");
        const int64_t most = asked > 0 ? asked : model_.n_layer - 1;
        const double least = static_cast<double>(task_.options.get<int64_t>("threshold")) / 100;
        numbers.loss = look(own_);
        size_t done = 0;
        for (const LayerPair& pair : pairs) {
            if (std::ssize(numbers.steps) >= most) break;
            try_pair(pair, least, numbers);
            if (task_.progress)
                task_.progress(static_cast<double>(++done) / static_cast<double>(pairs.size()));
        }
        return numbers;
    }

  private:
    std::vector<LayerPair> pairs_by_distance(NumberArray& distances) {
        const MeanCaches caches(task_);
        distances = NumberArray::unknown({model_.n_layer, model_.n_layer});
        std::vector<LayerPair> pairs;
        for (int64_t reader = 1; reader < model_.n_layer; ++reader)
            for (int64_t source = 0; source < reader; ++source) {
                const double distance = caches.distance(reader, source);
                distances.at({reader, source}) = distance;
                pairs.push_back({reader, source, distance});
            }
        std::stable_sort(pairs.begin(), pairs.end(), [](const LayerPair& a, const LayerPair& b) {
            return a.distance > b.distance;
        });
        return pairs;
    }

    void try_pair(const LayerPair& pair, double least, Numbers& numbers) {
        if (shared_.contains(pair.reader)) return;
        const std::vector<int64_t> before = source_of_;
        source_of_[static_cast<size_t>(pair.reader)] = pair.source;
        // Whoever read a layer that shares by now reads what that one reads.
        for (int64_t& source : source_of_) source = source_of_[static_cast<size_t>(source)];
        read_sources();
        std::vector<std::vector<double>> states;
        const double loss = look(states);
        const double cosine = mean_cosine(states);
        if (cosine > least) {
            shared_.insert(pair.reader);
            numbers.steps.push_back({pair.reader, source_of_[static_cast<size_t>(pair.reader)],
                                     pair.distance, cosine, loss});
        } else {
            source_of_ = before;
        }
    }

    void read_sources() {
        for (const SourceChoice::Table* table : {&choice_.keys(), &choice_.values()})
            for (int64_t layer = 0; layer < model_.n_layer; ++layer)
                SourceChoice::choose(pass_, *table, layer,
                                     std::vector<int64_t>(static_cast<size_t>(table->heads),
                                                          source_of_[static_cast<size_t>(layer)]));
    }

    /// The loss, and the last state of every sequence, flattened.
    double look(std::vector<std::vector<double>>& states) {
        return pass_.loss(asked_, {.before = [this](int64_t) { task_.check_going(); },
                                   .after = [&](double) { add_states(states); }});
    }
    void add_states(std::vector<std::vector<double>>& states) {
        const std::vector<double> all = pass_.features();
        const size_t one = all.size() / static_cast<size_t>(task_.pass_rows);
        for (size_t first = 0; first < all.size(); first += one)
            states.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(first),
                                all.begin() + static_cast<std::ptrdiff_t>(first + one));
    }

    double mean_cosine(const std::vector<std::vector<double>>& states) const {
        double sum = 0;
        for (size_t s = 0; s < states.size(); ++s) {
            double product = 0, a = 0, b = 0;
            for (size_t i = 0; i < states[s].size(); ++i) {
                product += own_[s][i] * states[s][i];
                a += own_[s][i] * own_[s][i];
                b += states[s][i] * states[s][i];
            }
            if (a > 0 && b > 0) sum += product / std::sqrt(a * b);
        }
        return sum / static_cast<double>(states.size());
    }

    const ProbeTask& task_;
    const ModelConfig& model_;
    SourceChoice choice_;
    LossPass pass_;
    Batch asked_;
    std::vector<int64_t> source_of_;  ///< by layer; its own number: its own cache
    std::set<int64_t> shared_;
    std::vector<std::vector<double>> own_;  ///< last states of the model as it is
};

std::string table(const Numbers& numbers) {
    std::string text = fmt::format(
        "loss {:.4f} nats; layers whose caches differ most share first\n{:>4} {:>6} {:>6} {:>10} "
        "{:>8} {:>10}\n",
        numbers.loss, "n", "layer", "reads", "distance", "cosine", "loss");
    for (size_t i = 0; i < numbers.steps.size(); ++i) {
        const Step& step = numbers.steps[i];
        text += fmt::format("{:>4} {:>6} {:>6} {:>10.4f} {:>8.4f} {:>10}\n", i + 1, step.reader,
                            step.source, step.distance, step.cosine,
                            change_text(step.loss - numbers.loss));
    }
    if (numbers.steps.empty()) text += "no layer can share: see --threshold\n";
    return text;
}

template <class Of>
std::vector<double> column(const Numbers& numbers, Of of) {
    std::vector<double> values;
    for (const Step& step : numbers.steps) values.push_back(of(step));
    return values;
}

void write(const Numbers& numbers, ArrayFileWriter& file) {
    const auto count = static_cast<int64_t>(numbers.steps.size());
    file.add(kSharingLoss, {1}, std::vector<double>{numbers.loss}, "nats");
    file.add("/sharing/distance", numbers.distance.shape, numbers.distance.values);
    file.plot_hint({"/sharing", "distance"});
    if (count == 0) return;
    std::vector<int32_t> order;
    for (const Step& step : numbers.steps) {
        order.push_back(static_cast<int32_t>(step.reader));
        order.push_back(static_cast<int32_t>(step.source));
    }
    file.add(kSharingOrder, {count, 2}, order);
    file.add("/sharing/cosine", {count}, column(numbers, [](const Step& s) { return s.cosine; }));
    file.add(kSharingLosses, {count}, column(numbers, [](const Step& s) { return s.loss; }),
             "nats");
}

ProbeFindings measure(const ProbeTask& task) {
    if (task.weights.config().n_layer < 2)
        throw UserError("a model of one layer shares nothing", "give one of two layers or more");
    const auto numbers = std::make_shared<const Numbers>(Sharing(task).measure());
    return {[numbers](ArrayFileWriter& file) { write(*numbers, file); },
            [numbers] { return table(*numbers); },
            [numbers](nlohmann::ordered_json& document) {
                document["loss"] = numbers->loss;
                document["distance"] = to_json(numbers->distance);
                document["order"] = nlohmann::ordered_json::array();
                for (const Step& step : numbers->steps)
                    document["order"].push_back({{"layer", step.reader},
                                                 {"reads", step.source},
                                                 {"distance", step.distance},
                                                 {"cosine", step.cosine},
                                                 {"loss", step.loss}});
            }};
}

int64_t bytes(const Job& job, const ProbeConfig& config, int threads) {
    SourceChoice choice;
    const ProbeShape shape = live_probe_shape(job, config);
    return LossPass::memory(job.model, shape, choice.edit(), threads).total +
           ProbePass::memory(job.model, shape, ProbeTaps::all_attention(job.model), threads).total;
}

}  // namespace

ProbeKind kind() {
    return {{.kind = "sharing",
             .help = "In which order layers can share keys and values without training, those "
                     "whose caches differ most first (KVSharer)",
             .batch_size = 4,
             .options = {{.name = "layers",
                          .help = "Layers that share in the end; 0: as many as the threshold lets",
                          .standard = int64_t{0},
                          .maximum = 100000},
                         {.name = "threshold",
                          .help = "Least cosine between last hidden states with and without, in "
                                  "hundredths",
                          .standard = int64_t{50},
                          .maximum = 100}},
             .of_images = true},
            ProbeTaps::all_attention,
            measure,
            bytes};
}

}  // namespace headroom::kinds::sharing
