#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/device/device.h"
#include "core/model/decode_graph.h"
#include "core/weights/weight_source.h"

namespace headroom {

/// Incremental decoding with exactly the cache that the wiring needs. Sequences of a batch have
/// equal lengths. The graph is planned once; nothing is allocated while decoding.
class DecodingSession {
  public:
    /// UserError if the capacity exceeds the position table, or the model has no mask.
    DecodingSession(const ModelConfig& model, DType precision, const DecodeShape& shape,
                    Device& device);

    void load(const WeightSource& weights);

    /// Forgets all positions.
    void restart() { rewind(0); }
    /// Forgets those from `position` on. REQUIRES: no more than position().
    void rewind(int64_t position);
    int64_t position() const { return position_; }
    int64_t capacity() const { return shape_.capacity; }

    /// Takes in the same number of tokens for every sequence, [batch_size, count] row-major;
    /// the logits of the last ones can be read then. UserError for a token outside the vocabulary
    /// or more tokens than the cache has room for.
    void prefill(std::span<const int32_t> tokens);
    /// Takes in up to DecodeShape::step tokens of each sequence, [batch_size, count] row-major, and
    /// the logits of all of them can be read then.
    void step(std::span<const int32_t> tokens);

    /// Of the tokens of the last step, or of the last token of a prefill, row-major
    /// [batch_size, count, vocab_size].
    std::vector<double> logits() const;
    /// Until the last logits are made. A device may only have been asked to work when prefill() and
    /// step() return; logits() waits by itself.
    void wait() const;

    /// Bytes of the arena that hold the caches.
    int64_t cache_bytes() const { return executor_->plan().ledger.cache; }
    const MemoryLedger& ledger() const { return executor_->plan().ledger; }
    const ModelConfig& model() const { return model_; }
    DType precision() const { return precision_; }
    Executor& executor() { return *executor_; }
    const DecodeGraph& graph() const { return decode_; }

  private:
    void check(std::span<const int32_t> tokens) const;
    /// A pass over `rows` tokens of each sequence, from `first` of its `count` on.
    void run(Phase phase, ValueId input, std::span<const int32_t> tokens, int64_t count,
             int64_t first, int64_t rows);

    ModelConfig model_;
    DType precision_;
    DecodeShape shape_;
    DecodeGraph decode_;
    std::unique_ptr<Executor> executor_;
    std::vector<int32_t> padded_;  ///< the tokens of one pass
    int64_t position_ = 0;
    int64_t logits_rows_ = 1;  ///< of each sequence
    ValueId last_logits_ = kNoValue;
};

}  // namespace headroom
