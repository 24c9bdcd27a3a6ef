#include "core/probe/mixing_probe.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include <fmt/format.h>

#include "core/ops/hyper_weights.h"
#include "core/probe/probe_datasets.h"

namespace headroom {
namespace {

/// Empty where the model has no such tensor.
std::vector<double> find(const WeightSource& weights, const std::string& name) {
    return weights.has(name) ? weights.read<double>(name) : std::vector<double>{};
}

/// Tensor NAME of a layer, which with shared layers is that of the first.
std::vector<double> of_layer(const WeightSource& weights, int64_t layer, const std::string& name) {
    const int64_t stored = weights.config().share_layers ? 0 : layer;
    return find(weights, fmt::format("h.{}.{}", stored, name));
}

/// One tensor of `shape` per layer, or nothing if no layer has it.
void add_layers(NumberArrays& all, const std::string& key, const WeightSource& weights,
                const std::string& name, const Shape& shape) {
    const ModelConfig& model = weights.config();
    Shape full{model.n_layer};
    full.insert(full.end(), shape.begin(), shape.end());
    NumberArray array = NumberArray::unknown(full);
    bool any = false;
    for (int64_t layer = 0; layer < model.n_layer; ++layer) {
        const std::vector<double> values = of_layer(weights, layer, name);
        any = any || !values.empty();
        std::copy(values.begin(), values.end(),
                  array.values.begin() + layer * static_cast<int64_t>(values.size()));
    }
    if (any) all[key] = std::move(array);
}

double sigmoid(double x) {
    return 1 / (1 + std::exp(-x));
}

/// e^x, its columns and then its rows divided by their sums, again and again.
void sinkhorn(std::span<double> matrix, int64_t n) {
    const auto at = [&](int64_t i, int64_t j) -> double& {
        return matrix[static_cast<size_t>(i * n + j)];
    };
    for (double& value : matrix) value = std::exp(value);
    for (int round = 0; round < 2 * kSinkhornRounds; ++round)
        for (int64_t line = 0; line < n; ++line) {
            const bool rows = round % 2 == 1;
            double sum = 0;
            for (int64_t k = 0; k < n; ++k) sum += rows ? at(line, k) : at(k, line);
            for (int64_t k = 0; k < n; ++k) (rows ? at(line, k) : at(k, line)) /= sum;
        }
}

/// Stored weights of manifold-constrained hyper-connections as they act.
void constrain(NumberArrays& all, const std::string& branch, int64_t n) {
    if (!all.contains(branch + "/a")) return;
    for (double& value : all[branch + "/a"].values) value = sigmoid(value);
    for (double& value : all[branch + "/b"].values) value = 2 * sigmoid(value);
    std::vector<double>& mixes = all[branch + "/r"].values;
    for (size_t at = 0; at < mixes.size(); at += static_cast<size_t>(n * n))
        sinkhorn(std::span(mixes).subspan(at, static_cast<size_t>(n * n)), n);
}

/// Row = block, column = stream that its average takes in, 0 being the embedding.
void add_averages(NumberArrays& all, const WeightSource& weights) {
    const ModelConfig& model = weights.config();
    NumberArray dwa = NumberArray::unknown({model.n_layer, model.n_layer + 1});
    for (int64_t layer = 0; layer < model.n_layer; ++layer) {
        int64_t stream = (layer + 1) % model.dwa_dilation;
        for (const double weight : find(weights, fmt::format("dwa.{}.weight", layer))) {
            dwa.at({layer, stream}) = weight;
            stream += model.dwa_dilation;
        }
    }
    all["dwa"] = std::move(dwa);
}

}  // namespace

NumberArrays mixing_weights(const WeightSource& weights) {
    const ModelConfig& model = weights.config();
    NumberArrays all;
    add_layers(all, kMixingLambda, weights, "attn.lambda", {});
    if (model.dense) add_averages(all, weights);
    if (model.hyper == HyperKind::kNone) return all;
    const int64_t n = model.n_stream;
    for (const std::string branch : {"hc_attn", "hc_mlp"}) {
        for (const char* vector : {"a", "b"})
            add_layers(all, branch + "/" + vector, weights, branch + "." + vector, {n});
        add_layers(all, branch + "/r", weights, branch + ".r", {n, n});
        if (model.hyper == HyperKind::kMhc) constrain(all, branch, n);
    }
    return all;
}

void StreamNormSum::add(const ProbePass& pass) {
    const int64_t layers = pass.model().n_layer + 1;
    if (sum_.empty()) sum_ = {{layers}, std::vector<double>(static_cast<size_t>(layers))};
    for (int64_t l = 0; l < layers; ++l)
        for (int64_t b = 0; b < pass.shape().batch_size; ++b) {
            const TokenMatrix stream = pass.stream(static_cast<int>(l) - 1, b);
            for (int64_t i = 0; i < stream.rows; ++i) {
                const std::span<const double> row = stream.row(i);
                sum_.at({l}) +=
                    std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
            }
        }
    rows_ += pass.shape().batch_size * pass.shape().seq_len;
}

NumberArray StreamNormSum::mean() const {
    NumberArray mean = sum_;
    for (double& value : mean.values) value /= static_cast<double>(rows_);
    return mean;
}

void write_mixing(ArrayFileWriter& file, const NumberArrays& mixing,
                  const NumberArray& stream_norm) {
    write_arrays(file, kMixingGroup, mixing);
    file.add(kStreamNorm, stream_norm.shape, stream_norm.values);
    file.plot_hint({kMixingGroup, "stream_norm"});
}

}  // namespace headroom
