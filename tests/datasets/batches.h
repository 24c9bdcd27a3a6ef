#pragma once

#include "core/data/data_source.h"

namespace headroom {

inline Batch train_batch(const DataSource& source, int64_t step, int64_t micro, int64_t batch_size,
                         int64_t seq_len) {
    Batch batch = Batch::of_tokens(batch_size, seq_len);
    source.train_batch(step, micro, batch);
    return batch;
}

inline Batch eval_batch(const DataSource& source, int64_t index, int64_t batch_size,
                        int64_t seq_len) {
    Batch batch = Batch::of_tokens(batch_size, seq_len);
    source.eval_batch(index, batch);
    return batch;
}

}  // namespace headroom
