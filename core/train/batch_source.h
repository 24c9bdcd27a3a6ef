#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace headroom {

/// A target that the loss leaves out.
inline constexpr int32_t kIgnoredTarget = -1;

/// Where training and evaluation batches come from. Every batch is a pure function of the data, the
/// seed and the indices asked for, so that all variants of a study see the same tokens in the same
/// order and a resumed run continues exactly. Implementations live in datasets/.
/// Const members may be called from several threads at once.
class BatchSource {
  public:
    virtual ~BatchSource() = default;

    /// Number of distinct token ids; every id is in [0, vocab_size).
    virtual int64_t vocab_size() const = 0;

    /// Fills one micro-batch of step `step` (1-based), part `micro` (0-based, < grad_accum).
    /// inputs and targets are [batch_size, seq_len], row-major; targets may be kIgnoredTarget.
    virtual void train_batch(int64_t step, int64_t micro, int64_t batch_size, int64_t seq_len,
                             std::span<int32_t> inputs, std::span<int32_t> targets) const = 0;

    /// Fills evaluation batch `index` (0-based) of `eval_batches`: fixed for the whole run and the
    /// same for every variant, seed and step.
    virtual void eval_batch(int64_t index, int64_t batch_size, int64_t seq_len,
                            std::span<int32_t> inputs, std::span<int32_t> targets) const = 0;

    /// One line for the log: what the data are, how many tokens, which tokenizer.
    virtual std::string describe() const = 0;

    /// The tokenizer as JSON, for the metadata of checkpoints; "" where the tokens are no text.
    virtual std::string tokenizer_json() const { return {}; }
};

}  // namespace headroom
