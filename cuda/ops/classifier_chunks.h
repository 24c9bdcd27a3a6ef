#pragma once

#include <algorithm>

#include "core/ops/linear_cross_entropy.h"
#include "cuda/kernel.h"

namespace headroom::cuda {

/// How the rows of the classifier are cut into chunks, whose logits are in memory at once, and the
/// layout of the scratch: [logits of a chunk][losses of the rows, double][valid targets, double].
/// Logits turn into their gradients in place: in the storage type where gradients are wanted (as
/// everywhere in bfloat16 training), else in the accumulator type.
struct ClassifierChunks {
    /// Few chunks, since each adds once more to all of the weight's gradient.
    static constexpr int64_t kLogitsBytes = int64_t{1} << 30;

    int64_t rows, vocab_size, d_model;
    int64_t stride;  ///< from row to row of the logits: whole packs of 16 bytes
    int64_t chunk_rows;
    int64_t losses_at, valid_at;  ///< bytes

    ClassifierChunks(const TensorType& x, const TensorType& weight, bool tied, bool gradient,
                     int64_t logits_bytes = kLogitsBytes)
        : rows(x.rows()),
          vocab_size(tied ? weight.shape[0] : weight.shape[1]),
          d_model(x.columns()) {
        const auto bytes =
            static_cast<int64_t>(size_of(gradient ? x.dtype : accumulator_of(x.dtype)));
        stride = round_up(vocab_size, 16 / bytes);
        const int64_t fitting = std::max(kRowMultiple, logits_bytes / (stride * bytes));
        const int64_t chunks = std::max<int64_t>(1, (rows + fitting - 1) / fitting);
        chunk_rows = std::min(rows, round_up((rows + chunks - 1) / chunks, kRowMultiple));
        losses_at = round_up(chunk_rows * stride * bytes, 64);
        valid_at = losses_at + rows * 8;
    }

    int64_t workspace_bytes() const { return valid_at + 8; }

  private:
    static constexpr int64_t kRowMultiple = 128;  ///< rows that a tile of a product has
    static int64_t round_up(int64_t value, int64_t unit) {
        return (value + unit - 1) / unit * unit;
    }
};

/// LinearCrossEntropy, or LinearCrossEntropyWithGradient, on inputs of these types, with
/// `logits_bytes` for a chunk.
Kernel make_classifier(const LinearCrossEntropyOptions& options, bool gradient, Types inputs,
                       int64_t logits_bytes = ClassifierChunks::kLogitsBytes);

}  // namespace headroom::cuda
