#pragma once

#include <cstdint>
#include <optional>

#include "core/data/batch.h"
#include "core/data/data_source.h"
#include "datasets/tokenizers/tokenizer.h"

namespace headroom {

/// How many bytes of text the targets of evaluation batches 0 to `eval_batches` - 1 stand for, each
/// of the shape of `batch`. A loss per byte, other than one per token, compares models whose
/// tokenizers differ. Special tokens are no text; ignored targets stand for nothing. Nothing where
/// a target is no token of `tokenizer`: they were made with another.
std::optional<int64_t> target_bytes(const DataSource& data, int64_t eval_batches, Batch batch,
                                    const Tokenizer& tokenizer);

}  // namespace headroom
