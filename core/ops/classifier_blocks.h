#pragma once

#include <algorithm>

#include "core/base/tensor.h"
#include "core/cpu/gemm.h"

namespace headroom {

/// How the rows of the classifier are cut into blocks, and the layout of the workspace:
/// [logits block, accumulator type][dlogits block in storage type, bfloat16 only][row losses].
struct ClassifierBlocks {
    int64_t rows = 0, vocab_size = 0, d_model = 0;
    int64_t block_rows = 0;
    int64_t logits_bytes = 0, stored_bytes = 0, losses_bytes = 0;

    ClassifierBlocks(const TensorType& x, const TensorType& weight, bool tied)
        : rows(x.rows()),
          vocab_size(tied ? weight.shape[0] : weight.shape[1]),
          d_model(x.columns()) {
        const auto sum_bytes = static_cast<int64_t>(size_of(accumulator_of(x.dtype)));
        const bool narrow = x.dtype == DType::kBF16;
        const int64_t fitting =
            std::max<int64_t>(kRowMultiple, kLogitsBytes / (vocab_size * sum_bytes));
        const int64_t blocks = (rows + fitting - 1) / fitting;
        block_rows = round_up((rows + blocks - 1) / blocks, kRowMultiple);
        logits_bytes = round_up(block_rows * vocab_size * sum_bytes, 64);
        stored_bytes = narrow ? round_up(block_rows * vocab_size * 2, 64) : 0;
        losses_bytes = round_up(rows * 8, 64);
    }

    /// What follows where the norm of the weight's gradient is told.
    int64_t norm_scratch_bytes() const {
        return norm_scratch({vocab_size, d_model, block_rows}) *
               static_cast<int64_t>(sizeof(double));
    }
    int64_t workspace_bytes() const { return logits_bytes + stored_bytes + losses_bytes; }

  private:
    static constexpr int64_t kRowMultiple = 16;
    static constexpr int64_t kLogitsBytes = int64_t{128} << 20;
    static int64_t round_up(int64_t value, int64_t unit) {
        return (value + unit - 1) / unit * unit;
    }
};

}  // namespace headroom
