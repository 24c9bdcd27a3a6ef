#pragma once

#include "core/data/data_source.h"

namespace headroom {

/// Uniformly random tokens, or patches and classes as the batch has them, where what they are does
/// not matter.
class RandomTokens : public DataSource {
  public:
    explicit RandomTokens(int64_t vocab_size) : info_{vocab_size, "random tokens", ""} {}

    const DataInfo& info() const override { return info_; }
    void train_batch(int64_t step, int64_t micro, Batch& batch) const override;
    void eval_batch(int64_t index, Batch& batch) const override;

  private:
    DataInfo info_;
};

}  // namespace headroom
