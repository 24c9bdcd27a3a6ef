#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/weights/weight_source.h"

namespace headroom {

/// A model's last norm and its classifier in float64: what makes logits of a residual stream.
class FinalHead {
  public:
    /// Reads ln_f.* and the table wte.weight, or lm_head.weight where it is not tied; of images
    /// head.*.
    explicit FinalHead(const WeightSource& weights);

    int64_t vocab_size() const { return model_.vocab_size; }
    bool of_images() const { return model_.reads_images(); }
    /// logits = ln_f(x) W. x [rows, d_model], logits [rows, vocab_size].
    void logits(std::span<const double> x, int64_t rows, std::span<double> logits) const;
    /// Of a model of images: of the position that is pooled from the `rows` of one image,
    /// [n_class].
    void class_logits(std::span<const double> x, int64_t rows, std::span<double> logits) const;

  private:
    void norm_row(const double* x, double* y) const;
    std::vector<double> features(std::span<const double> x, int64_t rows) const;
    void project(std::span<const double> features, int64_t rows, std::span<double> logits) const;

    ModelConfig model_;
    std::vector<double> gain_, shift_, alpha_, table_, bias_;
};

}  // namespace headroom
