#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/log/array_file.h"
#include "core/probe/final_head.h"
#include "core/probe/number_array.h"
#include "core/probe/probe_pass.h"

namespace headroom {

/// What the model would say after each layer, if it were the last.
struct LensNumbers {
    NumberArray loss;      ///< [L + 1] cross-entropy of the targets, nats
    NumberArray kl;        ///< [L + 1] KL(final ‖ layer), nats
    NumberArray accuracy;  ///< [L + 1] share of targets that are the likeliest
    /// [L + 1, T, k] of sequence 0, of images [L + 1, 1, k]; likeliest first, k = min(5, V).
    std::vector<int32_t> top_ids;
    NumberArray top_probs;  ///< the same shape
};

/// The logit lens (nostalgebraist 2020, "interpreting GPT: the logit lens"): the residual stream
/// before the first block and after each one, through the model's own last norm and classifier.
/// Of images the position that the classifier pools. Means over the targets that count; NaN where
/// there are none.
class LensSum {
  public:
    explicit LensSum(const WeightSource& weights) : head_(weights) {}

    /// Adds all sequences of a pass that has run and taps the streams; `targets`, one for each of
    /// its tokens, or images, kIgnoredTarget allowed. Logits are made for a few rows at a time: 2 x
    /// 128 x vocab_size doubles.
    void add(const ProbePass& pass, std::span<const int32_t> targets);
    LensNumbers mean() const;

  private:
    /// Predictions of a sequence: one for each token, or the class of an image.
    static int64_t predictions(const ProbePass& pass);
    void add_sequence(const ProbePass& pass, int64_t b, std::span<const int32_t> targets);
    void add_rows(std::span<const TokenMatrix> streams, int64_t first, int64_t rows,
                  std::span<const int32_t> targets);
    void keep_top(int64_t layer, int64_t token, std::span<const int32_t> top,
                  std::span<const double> log_probs);

    FinalHead head_;
    LensNumbers sum_;
    int64_t count_ = 0;  ///< targets that count
    bool top_done_ = false;
};

void write_lens(ArrayFileWriter& file, const LensNumbers& numbers);

}  // namespace headroom
