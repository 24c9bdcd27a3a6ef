#pragma once

#include <cstdint>
#include <memory>

#include "core/data/data_source.h"
#include "datasets/sequence_source.h"

namespace headroom {

/// Evaluation batches that walk `split` from end to end (SequenceSource::walk_row), so that every
/// token but the first is predicted once: what is called the loss, or the perplexity, of a text.
/// Rows behind the end are ignored; there is nothing to train on. `info` is that of the data.
std::unique_ptr<DataSource> make_whole_source(std::shared_ptr<const SequenceSource> split,
                                              DataInfo info);

/// How many batches that takes. UserError for a split without an end.
int64_t whole_batches(const SequenceSource& split, int64_t batch_size, int64_t seq_len);

}  // namespace headroom
