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

/// Dark pictures with one bright patch, whose place tells the class: nothing but attention or the
/// mean can bring it to where the classifier reads. Pure in step and row.
class BrightPatch : public DataSource {
  public:
    explicit BrightPatch(int64_t classes) : info_{classes, "a bright patch", "", true} {}

    const DataInfo& info() const override { return info_; }
    void train_batch(int64_t step, int64_t micro, Batch& batch) const override {
        const int64_t width = batch.find("patches")->type.columns();
        const int64_t numbers = batch.find("patches")->type.count() / batch.batch_size();
        auto* patches = reinterpret_cast<float*>(batch.bytes("patches").data());
        for (int64_t row = 0; row < batch.batch_size(); ++row) {
            const auto key = static_cast<uint32_t>((step * 4 + micro) * 1000 + row);
            const auto word = [&](int64_t i) {
                return Philox::block({static_cast<uint32_t>(i), key, 0, 0}, 3, 4)[0];
            };
            const auto target = static_cast<int32_t>(word(-1) % info_.vocab_size);
            for (int64_t i = 0; i < numbers; ++i)
                patches[row * numbers + i] =
                    static_cast<float>(0.3 * (static_cast<double>(word(i)) / 2147483648.0 - 1.0) +
                                       (i / width == target ? 1.0 : -0.5));
            batch.targets()[static_cast<size_t>(row)] = target;
        }
    }
    void eval_batch(int64_t index, Batch& batch) const override {
        train_batch(100000 + index, 0, batch);
    }

  private:
    DataInfo info_;
};

}  // namespace headroom
