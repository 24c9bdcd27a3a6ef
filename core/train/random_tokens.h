#pragma once

#include <string>

#include "core/train/batch_source.h"

namespace headroom {

/// Uniformly random tokens, where what they are does not matter.
class RandomTokens : public BatchSource {
  public:
    explicit RandomTokens(int64_t vocab_size) : vocab_size_(vocab_size) {}

    int64_t vocab_size() const override { return vocab_size_; }
    void train_batch(int64_t step, int64_t micro, int64_t batch_size, int64_t seq_len,
                     std::span<int32_t> inputs, std::span<int32_t> targets) const override;
    void eval_batch(int64_t index, int64_t batch_size, int64_t seq_len, std::span<int32_t> inputs,
                    std::span<int32_t> targets) const override;
    std::string describe() const override { return "random tokens"; }

  private:
    int64_t vocab_size_;
};

}  // namespace headroom
