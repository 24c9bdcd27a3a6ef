#include "core/device/batch_inputs.h"

#include <string>

#include "core/base/error.h"

namespace headroom {

Batch batch_for(const Graph& graph, const std::vector<ValueId>& inputs) {
    std::vector<BatchTensor> tensors;
    for (const ValueId input : inputs)
        tensors.push_back({graph.value(input).name, graph.value(input).type});
    return Batch(tensors);
}

void write_batch(Executor& executor, const std::vector<ValueId>& inputs, const Batch& batch) {
    for (const ValueId input : inputs) {
        const Value& value = executor.graph().value(input);
        const BatchTensor* tensor = batch.find(value.name);
        if (tensor == nullptr || tensor->type != value.type)
            throw UserError("the model reads " + value.name + " " + to_string(value.type) +
                                ", but the data give " +
                                (tensor == nullptr ? "none" : to_string(tensor->type)),
                            "choose data of the model's kind");
        executor.write(input, batch.bytes(value.name));
    }
}

}  // namespace headroom
