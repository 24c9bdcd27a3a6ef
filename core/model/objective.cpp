#include "core/model/objective.h"

#include "core/ops/linear.h"
#include "core/ops/linear_cross_entropy.h"

namespace headroom {

void Objective::add_parameters(ParameterList& list) {
    const ModelConfig& m = list.model();
    if (!m.tie)
        list.add("lm_head.weight", {m.d_model, m.vocab_size}, ParameterRole::kHead,
                 list.init_std());
}

ValueId Objective::add_input(Graph& graph, int64_t batch_size, int64_t seq_len) {
    return graph.add_value("targets", {DType::kI32, {batch_size, seq_len}}, Role::kInput);
}

std::string Objective::head_weight(const ModelConfig& model) {
    return model.tie ? "wte.weight" : "lm_head.weight";
}

ValueId Objective::logits(Phase phase, ValueId features, const std::string& name) {
    const ValueId head = weights_.matrix(head_weight(model_));
    return graph_.apply1(phase, std::make_shared<Linear>(model_.tie), {features, head}, name,
                         Role::kResult);
}

ValueId Objective::loss(Phase phase, ValueId features, ValueId targets, ValueId mean_over,
                        double scale, const std::string& name) {
    const LinearCrossEntropyOptions options{model_.tie, scale};
    const ValueId head = weights_.matrix(head_weight(model_));
    std::vector<ValueId> read{features, head, targets};
    if (mean_over != kNoValue) read.push_back(mean_over);
    return graph_.apply1(phase, std::make_shared<LinearCrossEntropy>(options), std::move(read),
                         name, Role::kResult);
}

}  // namespace headroom
