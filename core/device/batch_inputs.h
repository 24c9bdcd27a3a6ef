#pragma once

#include <vector>

#include "core/data/batch.h"
#include "core/device/device.h"

namespace headroom {

/// An empty batch of what the inputs of a graph are called and hold.
Batch batch_for(const Graph& graph, const std::vector<ValueId>& inputs);

/// Writes each input from the tensor of its name; the batch may have others beside them. UserError
/// where one is missing or has another type than the input: the data are none for this model.
void write_batch(Executor& executor, const std::vector<ValueId>& inputs, const Batch& batch);

}  // namespace headroom
