#include "core/probe/final_head.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/base/error.h"
#include "core/cpu/gemm.h"
#include "core/cpu/parallel.h"
#include "core/model/objective.h"

namespace headroom {

FinalHead::FinalHead(const WeightSource& weights) : model_(weights.config()) {
    const auto read = [&](const std::string& name) {
        return weights.has(name) ? weights.read<double>(name) : std::vector<double>{};
    };
    gain_ = read("ln_f.weight");
    shift_ = read("ln_f.bias");
    alpha_ = read("ln_f.alpha");
    table_ = read(Objective::head_weight(model_));
    if (model_.reads_images()) bias_ = read("head.bias");
}

/// LayerNorm, RMSNorm and DyT as core/ops/norm.h and core/ops/dyt.h define them.
void FinalHead::norm_row(const double* x, double* y) const {
    const auto d = static_cast<size_t>(model_.d_model);
    if (model_.norm_f == NormKind::kNone) {
        std::copy_n(x, d, y);
        return;
    }
    const auto shift = [&](size_t c) { return shift_.empty() ? 0.0 : shift_[c]; };
    if (model_.norm_f == NormKind::kDyT) {
        for (size_t c = 0; c < d; ++c) y[c] = gain_[c] * std::tanh(alpha_[0] * x[c]) + shift(c);
        return;
    }
    const auto width = static_cast<double>(d);
    double mean = 0, square = 0;
    if (model_.norm_f == NormKind::kLayerNorm)
        for (size_t c = 0; c < d; ++c) mean += x[c] / width;
    for (size_t c = 0; c < d; ++c) square += (x[c] - mean) * (x[c] - mean) / width;
    const double rstd = 1 / std::sqrt(square + model_.norm_eps);
    for (size_t c = 0; c < d; ++c) y[c] = (x[c] - mean) * rstd * gain_[c] + shift(c);
}

std::vector<double> FinalHead::features(std::span<const double> x, int64_t rows) const {
    const int64_t d = model_.d_model;
    std::vector<double> features(x.size());
    parallel_for(rows, 8, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) norm_row(x.data() + i * d, features.data() + i * d);
    });
    return features;
}

void FinalHead::project(std::span<const double> features, int64_t rows,
                        std::span<double> logits) const {
    const int64_t d = model_.d_model, vocabulary = model_.vocab_size;
    GemmShape shape{.m = rows, .n = vocabulary, .k = d};
    shape.b_transposed = model_.tie;
    shape.lda = d;
    shape.ldb = model_.tie ? d : vocabulary;
    shape.ldc = vocabulary;
    gemm(shape, features.data(), table_.data(), logits.data());
}

void FinalHead::logits(std::span<const double> x, int64_t rows, std::span<double> logits) const {
    project(features(x, rows), rows, logits);
}

void FinalHead::class_logits(std::span<const double> x, int64_t rows,
                             std::span<double> logits) const {
    CHECK(model_.reads_images(), "classes are of images");
    const auto d = static_cast<size_t>(model_.d_model);
    std::vector<double> pooled = features(x, rows);
    if (model_.pooling == Pooling::kMean)
        for (size_t i = d; i < pooled.size(); ++i) pooled[i % d] += pooled[i];
    pooled.resize(d);
    if (model_.pooling == Pooling::kMean)
        for (double& value : pooled) value /= static_cast<double>(rows);
    project(pooled, 1, logits);
    for (size_t c = 0; c < bias_.size(); ++c) logits[c] += bias_[c];
}

}  // namespace headroom
