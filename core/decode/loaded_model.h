#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/config/model_config.h"
#include "core/device/device.h"
#include "core/model/model_graph.h"
#include "core/weights/weight_source.h"

namespace headroom {

/// A checkpoint's model on a device, for forward passes over one sequence of a fixed length.
class LoadedModel {
  public:
    /// `precision` is that of the activations. UserError for a seq_len beyond block_size.
    LoadedModel(const WeightSource& weights, DType precision, int64_t seq_len, Device& device);

    const ModelConfig& config() const { return config_; }

    /// Logits of every position, row-major [seq_len, vocab_size]; T is double for float64 models
    /// and float otherwise. UserError for a token id outside the vocabulary.
    template <class T>
    std::vector<T> logits(std::span<const int32_t> tokens);

  private:
    void check_tokens(std::span<const int32_t> tokens) const;

    ModelConfig config_;
    InferenceGraph inference_;
    std::unique_ptr<Executor> executor_;
};

}  // namespace headroom
