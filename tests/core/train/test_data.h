#pragma once

#include <span>
#include <string>

#include "core/base/philox.h"
#include "core/train/batch_source.h"

namespace headroom {

/// A sequence that a small model learns quickly: each token is the one before it plus 1 or 2,
/// decided by a counter-based coin. Pure in (step, micro, row).
class CountingTokens : public BatchSource {
  public:
    explicit CountingTokens(int64_t vocab_size) : vocab_size_(vocab_size) {}

    int64_t vocab_size() const override { return vocab_size_; }
    void train_batch(int64_t step, int64_t micro, int64_t batch_size, int64_t seq_len,
                     std::span<int32_t> inputs, std::span<int32_t> targets) const override {
        for (int64_t row = 0; row < batch_size; ++row)
            fill(static_cast<uint32_t>(step * 64 + micro), static_cast<uint32_t>(row),
                 inputs.subspan(static_cast<size_t>(row * seq_len), static_cast<size_t>(seq_len)),
                 targets.subspan(static_cast<size_t>(row * seq_len), static_cast<size_t>(seq_len)));
    }
    void eval_batch(int64_t index, int64_t batch_size, int64_t seq_len, std::span<int32_t> inputs,
                    std::span<int32_t> targets) const override {
        train_batch(1000000 + index, 0, batch_size, seq_len, inputs, targets);
    }
    std::string describe() const override { return "counting tokens"; }

  private:
    void fill(uint32_t step, uint32_t row, std::span<int32_t> inputs,
              std::span<int32_t> targets) const {
        const auto coin = [&](size_t i) {
            return Philox::block({static_cast<uint32_t>(i), step, row, 0}, 1, 2)[0];
        };
        auto token = static_cast<int64_t>(coin(~size_t{0}) % static_cast<uint64_t>(vocab_size_));
        for (size_t i = 0; i < inputs.size(); ++i) {
            inputs[i] = static_cast<int32_t>(token);
            token = (token + 1 + (coin(i) & 1u)) % vocab_size_;
            targets[i] = static_cast<int32_t>(token);
        }
    }
    int64_t vocab_size_;
};

}  // namespace headroom
