#pragma once

#include <cstdint>
#include <string>

#include "core/data/batch.h"

namespace headroom {

/// What is known of data beside their batches.
struct DataInfo {
    /// Number of distinct token ids, or of classes; every one is in [0, vocab_size).
    int64_t vocab_size = 0;
    /// One line for the log: what the data are, how many tokens, which tokenizer.
    std::string description;
    /// The tokenizer as JSON, for the metadata of checkpoints; "" where the tokens are no text.
    std::string tokenizer_json;
    /// The batches are of pictures: "patches" and "targets" (core/model/input_builder.h).
    bool images = false;
    /// The largest id + 1, where it is known to be less than vocab_size: models made before the
    /// data said how many there may be read them all the same. 0: vocab_size.
    int64_t least_vocab_size = 0;

    int64_t needed_vocab_size() const {
        return least_vocab_size > 0 ? least_vocab_size : vocab_size;
    }
};

/// Where training and evaluation batches come from. Every batch is a pure function of the data, the
/// seed and the indices asked for, so that all variants of a study see the same batches in the same
/// order and a resumed run continues exactly. Implementations live in datasets/.
/// Const members may be called from several threads at once.
class DataSource {
  public:
    virtual ~DataSource() = default;

    virtual const DataInfo& info() const = 0;

    /// Fills the tensors of micro-batch `micro` (0-based, < grad_accum) of step `step` (1-based).
    virtual void train_batch(int64_t step, int64_t micro, Batch& batch) const = 0;

    /// Fills the tensors of evaluation batch `index` (0-based) of `eval_batches`: fixed for the
    /// whole run and the same for every variant, seed and step.
    virtual void eval_batch(int64_t index, Batch& batch) const = 0;
};

}  // namespace headroom
