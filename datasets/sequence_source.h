#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "datasets/counter_random.h"

namespace headroom {

/// One split (training or validation) of the data: fills single rows. `inputs` and `targets` have
/// the same length seq_len; targets are the inputs moved by one, or kIgnoredTarget.
/// Immutable after construction, so every member may be called from several threads at once.
class SequenceSource {
  public:
    virtual ~SequenceSource() = default;

    virtual int64_t vocab_size() const = 0;
    /// What a model needs that reads it: at most that.
    virtual int64_t least_vocab_size() const { return vocab_size(); }
    /// Number of tokens; -1 where they never end.
    virtual int64_t tokens() const = 0;
    /// A row drawn at random; a pure function of the stream `random`.
    virtual void sample(CounterRandom& random, std::span<int32_t> inputs,
                        std::span<int32_t> targets) const = 0;
    /// Evaluation row number `index`, the same for every seed.
    virtual void eval_row(int64_t index, std::span<int32_t> inputs,
                          std::span<int32_t> targets) const = 0;
    /// Row number `index` of those that walk the tokens from end to end, each of them the target of
    /// one row: the last row's rest is ignored. False behind the last row, and of sources without
    /// an end.
    virtual bool walk_row(int64_t, std::span<int32_t>, std::span<int32_t>) const { return false; }
    /// Throws UserError if rows of `seq_len` tokens cannot be had.
    virtual void check_seq_len(int64_t seq_len) const = 0;
    /// One line: what it is, how many tokens.
    virtual std::string describe() const = 0;
};

}  // namespace headroom
