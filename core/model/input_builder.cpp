#include "core/model/input_builder.h"

#include "core/ops/embedding.h"

namespace headroom {

void InputBuilder::add_parameters(ParameterList& list) {
    const ModelConfig& m = list.model();
    list.add("wte.weight", {m.vocab_size, m.d_model}, ParameterRole::kEmbedding, list.init_std());
    if (m.pos == Positions::kLearned)
        list.add("wpe.weight", {m.block_size, m.d_model}, ParameterRole::kPosition,
                 list.init_std());
}

ValueId InputBuilder::add_input(Graph& graph, int64_t batch_size, int64_t seq_len) {
    return graph.add_value("tokens", {DType::kI32, {batch_size, seq_len}}, Role::kInput);
}

ValueId InputBuilder::build(ValueId tokens) {
    std::vector<ValueId> read{tokens, emit_.weights().master("wte.weight")};
    if (emit_.model().pos == Positions::kLearned)
        read.push_back(emit_.weights().master("wpe.weight"));
    const auto embedding = std::make_shared<Embedding>(emit_.options().precision);
    return emit_.dropout(emit_.apply1(embedding, std::move(read), "embed"), "embed");
}

}  // namespace headroom
