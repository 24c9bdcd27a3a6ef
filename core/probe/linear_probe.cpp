#include "core/probe/linear_probe.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/philox.h"
#include "core/model/objective_data.h"
#include "core/probe/line_fit.h"

namespace headroom {
namespace {

constexpr int kReal = 0, kControl = 1;
constexpr int64_t kControlBatches = 32;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

ProbeTaps stream_taps() {
    ProbeTaps taps;
    taps.streams = true;
    return taps;
}

ProbeShape pass_shape(const Job& job) {
    return {job.train.batch_size, job.train.seq_len, job.precision};
}

std::vector<int> probed_layers(const Job& job, const LinearProbeOptions& options) {
    const auto n_layer = static_cast<int>(job.model.n_layer);
    std::vector<int> layers;
    for (const int64_t layer : options.layers) {
        if (layer < 0 || layer >= n_layer)
            throw UserError(fmt::format("the model has no layer {}", layer),
                            fmt::format("layers are 0 to {}", n_layer - 1));
        layers.push_back(static_cast<int>(layer));
    }
    if (layers.empty()) {
        layers.resize(static_cast<size_t>(n_layer));
        std::iota(layers.begin(), layers.end(), 0);
    }
    return layers;
}

/// A control task gives each type of token a target; pictures have no types.
bool has_control(const Job& job, const LinearProbeOptions& options) {
    return options.control && !job.model.reads_images();
}

Batch empty_batch(const Job& job) {
    const ModelConfig& model = job.model;
    const int64_t rows = job.train.batch_size;
    return model.reads_images() ? Batch::of_images(rows, model.n_patch(), model.patch_width())
                                : Batch::of_tokens(rows, job.train.seq_len);
}

ClassifierSet classifier_set(const Job& job, const LinearProbeOptions& options) {
    ClassifierSet set;
    set.streams = static_cast<int>(probed_layers(job, options).size());
    set.tasks = has_control(job, options) ? 2 : 1;
    set.rates = options.rates;
    set.rows = job.train.batch_size * (job.model.reads_images() ? 1 : job.train.seq_len);
    set.correct = job.model.reads_images();
    set.d_model = job.model.d_model;
    set.vocab_size = job.model.vocab_size;
    set.type = accumulator_of(job.precision);
    set.train = probe_training(job.train, options.steps);
    set.seed = static_cast<uint64_t>(job.seed);
    return set;
}

/// Sums of losses, or of what else has a mean, by classifier, weighted by tokens.
class MeanLosses {
  public:
    explicit MeanLosses(const ClassifierSet& set)
        : set_(set), sums_(static_cast<size_t>(set.streams * set.tasks) * set.rates.size()) {}

    template <class Loss>
    void add(double tokens, Loss&& loss) {
        size_t i = 0;
        for (int s = 0; s < set_.streams; ++s)
            for (int t = 0; t < set_.tasks; ++t)
                for (int r = 0; r < static_cast<int>(set_.rates.size()); ++r)
                    if (tokens > 0) sums_[i++] += tokens * loss(s, t, r);
        tokens_ += tokens;
    }
    double mean(int stream, int task, int rate) const {
        const int row = stream * set_.tasks + task;
        return tokens_ > 0 ? sums_[static_cast<size_t>(row) * set_.rates.size() +
                                   static_cast<size_t>(rate)] /
                                 tokens_
                           : kNan;
    }
    double mean() const {
        return std::accumulate(sums_.begin(), sums_.end(), 0.0) /
               (tokens_ * static_cast<double>(sums_.size()));
    }

  private:
    const ClassifierSet& set_;
    std::vector<double> sums_;
    double tokens_ = 0;
};

/// The frozen model and the classifiers on its streams.
class LinearProbes {
  public:
    LinearProbes(const Job& job, const DataSource& data, const LinearProbeOptions& options,
                 Device& device)
        : job_(job),
          data_(job, data),
          options_(options),
          layers_(probed_layers(job, options)),
          set_(classifier_set(job, options)),
          pass_(job.model, pass_shape(job), stream_taps(), device),
          classifiers_(set_, device),
          batch_(empty_batch(job)),
          val_(set_),
          train_(set_),
          right_(set_) {
        if (has_control(job, options)) control_ = control_targets(job, data_, job.model.vocab_size);
    }

    ProbePass& pass() { return pass_; }

    void train() {
        const TrainConfig& train = set_.train;
        const int64_t last_tenth = train.steps - std::max<int64_t>(1, train.steps / 10);
        for (int64_t step = 1; step <= train.steps; ++step) {
            if (options_.keep_going && !options_.keep_going())
                throw EnvironmentError("stopped before it was done");
            MeanLosses losses(set_);
            for (int64_t micro = 0; micro < train.grad_accum; ++micro) {
                data_.train_batch(step, micro, batch_);
                write_batch();
                classifiers_.train(step, micro);
                const auto tokens = static_cast<double>(count_valid(batch_.targets()));
                const auto loss = [&](int s, int t, int r) {
                    return classifiers_.train_loss(s, t, r);
                };
                losses.add(tokens, loss);
                if (step > last_tenth) train_.add(tokens, loss);
            }
            if (options_.on_step) options_.on_step(step, losses.mean());
        }
    }

    void evaluate() {
        for (int64_t index = 0; index < set_.train.eval_batches; ++index) {
            data_.eval_batch(index, batch_);
            write_batch();
            classifiers_.evaluate();
            const auto count = static_cast<double>(count_valid(batch_.targets()));
            val_.add(count, [&](int s, int t, int r) { return classifiers_.eval_loss(s, t, r); });
            if (set_.correct)
                right_.add(count, [&](int s, int t, int r) {
                    return classifiers_.eval_correct(s, t, r) / count;
                });
        }
    }

    LinearProbeResult result() const {
        LinearProbeResult result;
        result.rates = options_.rates;
        for (size_t l = 0; l < layers_.size(); ++l) {
            const auto s = static_cast<int>(l);
            const int best = best_rate(s, kReal);
            result.layers.push_back(layers_[l]);
            result.lr.push_back(options_.rates[static_cast<size_t>(best)]);
            result.val_loss.push_back(val_.mean(s, kReal, best));
            result.train_loss.push_back(train_.mean(s, kReal, best));
            for (int r = 0; r < static_cast<int>(options_.rates.size()); ++r)
                result.all_val_loss.push_back(val_.mean(s, kReal, r));
            if (set_.correct) result.val_accuracy.push_back(right_.mean(s, kReal, best));
            if (control_.empty()) continue;
            result.control_val_loss.push_back(val_.mean(s, kControl, best_rate(s, kControl)));
            result.selectivity.push_back(result.control_val_loss.back() - result.val_loss.back());
        }
        return result;
    }

  private:
    /// Runs the frozen model over the batch and hands its streams to the classifiers.
    void write_batch() {
        pass_.run(batch_);
        if (set_.type == DType::kF64)
            write_streams<double>();
        else
            write_streams<float>();
        const std::span<const int32_t> targets = std::as_const(batch_).targets();
        classifiers_.write_targets(kReal, targets);
        if (control_.empty()) return;
        const std::span<const int32_t> tokens = std::as_const(batch_).tokens();
        std::vector<int32_t> control(targets.size());
        // Of the token in this place: where it was masked, of its original.
        const std::span<const int32_t> types = job_.train.is_masked() ? targets : tokens;
        for (size_t i = 0; i < control.size(); ++i)
            control[i] = targets[i] == kIgnoredTarget ? kIgnoredTarget
                                                      : control_[static_cast<size_t>(types[i])];
        classifiers_.write_targets(kControl, control);
    }

    template <class T>
    void write_streams() {
        std::vector<T> stream(static_cast<size_t>(set_.rows * set_.d_model));
        for (size_t l = 0; l < layers_.size(); ++l) {
            if (job_.model.reads_images())
                pass_.copy_pooled(layers_[l], std::span<T>(stream));
            else
                pass_.copy_stream(layers_[l], std::span<T>(stream));
            classifiers_.write_stream(static_cast<int>(l), std::span<const T>(stream));
        }
    }

    int best_rate(int stream, int task) const {
        int best = 0;
        for (int r = 1; r < static_cast<int>(set_.rates.size()); ++r) {
            const double loss = val_.mean(stream, task, r), lowest = val_.mean(stream, task, best);
            if (loss < lowest || std::isnan(lowest)) best = r;
        }
        return best;
    }

    const Job& job_;
    ObjectiveData data_;
    const LinearProbeOptions& options_;
    std::vector<int> layers_;
    ClassifierSet set_;
    ProbePass pass_;
    ProbeClassifiers classifiers_;
    Batch batch_;
    std::vector<int32_t> control_;
    MeanLosses val_, train_;
    MeanLosses right_;  ///< shares of pictures told rightly
};

void fit_slope(LinearProbeResult& result, const LinearProbeOptions& options, int64_t n_layer) {
    const auto [first, last] = deep_half(n_layer);
    result.steps = options.steps;
    result.slope_first = options.fit_first < 0 ? first : options.fit_first;
    result.slope_last = options.fit_last < 0 ? last : options.fit_last;
    std::vector<double> x, y;
    for (size_t i = 0; i < result.layers.size(); ++i) {
        if (result.layers[i] < result.slope_first || result.layers[i] > result.slope_last) continue;
        x.push_back(result.layers[i]);
        y.push_back(result.val_loss[i]);
    }
    result.slope = fit_line(x, y).slope;
}

}  // namespace

std::pair<int, int> deep_half(int64_t n_layer) {
    const auto last = static_cast<int>(n_layer) - 1;
    return {std::max(0, std::min(static_cast<int>(n_layer) / 2 + 1, last - 1)), last};
}

TrainConfig probe_training(const TrainConfig& train, int64_t steps) {
    TrainConfig probe = train;
    probe.steps = steps;
    const double share = static_cast<double>(train.warmup_steps) /
                         static_cast<double>(std::max<int64_t>(train.cosine_steps(), 1));
    probe.warmup_steps = std::llround(share * static_cast<double>(steps));
    probe.decay_steps = 0;
    return probe;
}

std::vector<int32_t> control_targets(const Job& job, const DataSource& data, int64_t vocab_size) {
    const TrainConfig& train = job.train;
    Batch batch = Batch::of_tokens(train.batch_size, train.seq_len);
    std::vector<int32_t> seen;
    for (int64_t step = 1; step <= kControlBatches; ++step) {
        data.train_batch(step, 0, batch);
        const std::span<const int32_t> targets = batch.targets();
        std::copy_if(targets.begin(), targets.end(), std::back_inserter(seen),
                     [](int32_t t) { return t != kIgnoredTarget; });
    }
    if (seen.empty()) throw UserError("the training data have no targets", "choose other data");
    std::vector<int32_t> control(static_cast<size_t>(vocab_size));
    for (size_t token = 0; token < control.size(); ++token) {
        const auto words = Philox::block({static_cast<uint32_t>(token), 0, 0, 0},
                                         static_cast<uint32_t>(job.seed), 0x636f6e74u);
        const uint64_t draw = (static_cast<uint64_t>(words[0]) << 32) | words[1];
        control[token] = seen[draw % seen.size()];
    }
    return control;
}

LinearProbeResult train_linear_probes(const Job& job, const DataSource& data,
                                      const std::function<void(ProbePass&)>& load,
                                      const LinearProbeOptions& options, Device& device) {
    CHECK(!options.rates.empty() && options.steps > 0, "rates and steps");
    LinearProbes probes(job, data, options, device);
    load(probes.pass());
    probes.train();
    probes.evaluate();
    LinearProbeResult result = probes.result();
    fit_slope(result, options, job.model.n_layer);
    return result;
}

int64_t linear_probe_bytes(const Job& job, const LinearProbeOptions& options, int threads) {
    return ProbePass::memory(job.model, pass_shape(job), stream_taps(), threads).total +
           ProbeClassifiers::memory(classifier_set(job, options), threads).total;
}

}  // namespace headroom
