#pragma once

#include <cstdint>
#include <vector>

#include "core/train/batch_source.h"

namespace headroom {

/// A batch with its own storage.
struct Batch {
    std::vector<int32_t> inputs, targets;
    bool operator==(const Batch&) const = default;
};

inline Batch train_batch(const BatchSource& source, int64_t step, int64_t micro, int64_t rows,
                         int64_t length) {
    Batch batch{std::vector<int32_t>(rows * length), std::vector<int32_t>(rows * length)};
    source.train_batch(step, micro, rows, length, batch.inputs, batch.targets);
    return batch;
}

inline Batch eval_batch(const BatchSource& source, int64_t index, int64_t rows, int64_t length) {
    Batch batch{std::vector<int32_t>(rows * length), std::vector<int32_t>(rows * length)};
    source.eval_batch(index, rows, length, batch.inputs, batch.targets);
    return batch;
}

}  // namespace headroom
