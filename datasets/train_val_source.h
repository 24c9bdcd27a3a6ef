#pragma once

#include <cstdint>
#include <memory>

#include "core/data/data_source.h"
#include "datasets/sequence_source.h"
#include "datasets/tokenizers/tokenizer.h"

namespace headroom {

/// Batches with training rows drawn from `train` by (seed, step, micro-batch, row) and evaluation
/// rows taken from `val` by their number. `tokenizer` may be null (tokens that stand for no text).
std::unique_ptr<DataSource> make_train_val_source(std::unique_ptr<SequenceSource> train,
                                                  std::shared_ptr<const SequenceSource> val,
                                                  const Tokenizer* tokenizer, int64_t seed);

}  // namespace headroom
