#pragma once

#include <span>
#include <string>

#include "core/base/philox.h"
#include "core/data/data_source.h"

namespace headroom {

/// A sequence that a small model learns quickly: each token is the one before it plus 1 or 2,
/// decided by a counter-based coin. Pure in (step, micro, row).
class CountingTokens : public DataSource {
  public:
    explicit CountingTokens(int64_t vocab_size) : info_{vocab_size, "counting tokens", ""} {}

    const DataInfo& info() const override { return info_; }
    void train_batch(int64_t step, int64_t micro, Batch& batch) const override {
        const auto seq_len = static_cast<size_t>(batch.seq_len());
        for (size_t row = 0; row < static_cast<size_t>(batch.batch_size()); ++row)
            fill(static_cast<uint32_t>(step * 64 + micro), static_cast<uint32_t>(row),
                 batch.tokens().subspan(row * seq_len, seq_len),
                 batch.targets().subspan(row * seq_len, seq_len));
    }
    void eval_batch(int64_t index, Batch& batch) const override {
        train_batch(1000000 + index, 0, batch);
    }

  private:
    void fill(uint32_t step, uint32_t row, std::span<int32_t> inputs,
              std::span<int32_t> targets) const {
        const auto coin = [&](size_t i) {
            return Philox::block({static_cast<uint32_t>(i), step, row, 0}, 1, 2)[0];
        };
        auto token =
            static_cast<int64_t>(coin(~size_t{0}) % static_cast<uint64_t>(info_.vocab_size));
        for (size_t i = 0; i < inputs.size(); ++i) {
            inputs[i] = static_cast<int32_t>(token);
            token = (token + 1 + (coin(i) & 1u)) % info_.vocab_size;
            targets[i] = static_cast<int32_t>(token);
        }
    }
    DataInfo info_;
};

}  // namespace headroom
