#include "core/model/input_builder.h"

#include "core/ops/cast.h"
#include "core/ops/embedding.h"
#include "core/ops/patches.h"

namespace headroom {

void InputBuilder::add_parameters(ParameterList& list) {
    const ModelConfig& m = list.model();
    if (m.reads_images())
        list.add_projection("patch", {m.patch_width(), m.d_model}, ParameterRole::kPatch);
    else
        list.add("wte.weight", {m.vocab_size, m.d_model}, ParameterRole::kEmbedding,
                 list.init_std());
    if (m.has_class_token())
        list.add("cls_token.weight", {1, m.d_model}, ParameterRole::kEmbedding, list.init_std());
    if (m.pos == Positions::kLearned)
        list.add("wpe.weight", {m.block_size, m.d_model}, ParameterRole::kPosition,
                 list.init_std());
}

ValueId InputBuilder::add_input(Graph& graph, const ModelConfig& model, int64_t batch_size,
                                int64_t seq_len) {
    if (!model.reads_images())
        return graph.add_value("tokens", {DType::kI32, {batch_size, seq_len}}, Role::kInput);
    CHECK(seq_len == model.n_position(), "an image has as many positions as the model says");
    return graph.add_value(
        "patches", {DType::kF32, {batch_size, model.n_patch(), model.patch_width()}}, Role::kInput);
}

ValueId InputBuilder::build(ValueId input) {
    return emit_.dropout(emit_.model().reads_images() ? place(input) : embed(input), "embed");
}

ValueId InputBuilder::embed(ValueId tokens) {
    std::vector<ValueId> read{tokens, emit_.weights().master("wte.weight")};
    if (emit_.model().pos == Positions::kLearned)
        read.push_back(emit_.weights().master("wpe.weight"));
    return emit_.apply1(std::make_shared<Embedding>(emit_.options().precision), std::move(read),
                        "embed");
}

ValueId InputBuilder::place(ValueId patches) {
    const DType precision = emit_.options().precision;
    const PlacePatchesOptions options{.class_token = emit_.model().has_class_token(),
                                      .positions = emit_.model().pos == Positions::kLearned};
    const bool placed = options.class_token || options.positions;
    if (precision != DType::kF32)
        patches = emit_.apply1(std::make_shared<Cast>(precision), {patches}, "patches.cast");
    const ValueId rows = emit_.linear("patch", patches, placed ? "patch" : "embed");
    if (!placed) return rows;
    std::vector<ValueId> read{rows};
    if (options.class_token) read.push_back(emit_.weights().master("cls_token.weight"));
    if (options.positions) read.push_back(emit_.weights().master("wpe.weight"));
    return emit_.apply1(std::make_shared<PlacePatches>(options), std::move(read), "embed");
}

}  // namespace headroom
