#include "core/model/objective.h"

#include "core/ops/bias.h"
#include "core/ops/cross_entropy.h"
#include "core/ops/linear.h"
#include "core/ops/linear_cross_entropy.h"
#include "core/ops/pool.h"

namespace headroom {

void Objective::add_parameters(ParameterList& list) {
    const ModelConfig& m = list.model();
    if (m.reads_images())
        list.add_projection("head", {m.d_model, m.vocab_size}, ParameterRole::kHead);
    else if (!m.tie)
        list.add("lm_head.weight", {m.d_model, m.vocab_size}, ParameterRole::kHead,
                 list.init_std());
}

ValueId Objective::add_input(Graph& graph, const ModelConfig& model, int64_t batch_size,
                             int64_t seq_len) {
    const Shape shape = model.reads_images() ? Shape{batch_size} : Shape{batch_size, seq_len};
    return graph.add_value("targets", {DType::kI32, shape}, Role::kInput);
}

std::string Objective::head_weight(const ModelConfig& model) {
    if (model.reads_images()) return "head.weight";
    return model.tie ? "wte.weight" : "lm_head.weight";
}

ValueId Objective::logits(Phase phase, ValueId features, const std::string& name) {
    if (model_.reads_images()) return class_logits(phase, features, name, Role::kResult);
    const ValueId head = weights_.matrix(head_weight(model_));
    return graph_.apply1(phase, std::make_shared<Linear>(model_.tie), {features, head}, name,
                         Role::kResult);
}

ValueId Objective::class_logits(Phase phase, ValueId features, const std::string& name, Role role) {
    const PoolKind kind =
        model_.pooling == Pooling::kClassToken ? PoolKind::kFirst : PoolKind::kMean;
    const ValueId pooled =
        graph_.apply1(phase, std::make_shared<Pool>(kind), {features}, name + ".pooled");
    const ValueId head = weights_.matrix(head_weight(model_));
    const ValueId bias = weights_.master("head.bias");
    if (bias == kNoValue)
        return graph_.apply1(phase, std::make_shared<Linear>(), {pooled, head}, name, role);
    const ValueId product =
        graph_.apply1(phase, std::make_shared<Linear>(), {pooled, head}, name + ".product");
    return graph_.apply1(phase, std::make_shared<AddBias>(), {product, bias}, name, role);
}

LossValues Objective::loss(Phase phase, ValueId features, ValueId targets, ValueId mean_over,
                           double scale, const std::string& prefix) {
    if (model_.reads_images()) {
        CHECK(mean_over == kNoValue, "every image has a class");
        const ValueId logits = class_logits(phase, features, prefix + "logits", Role::kActivation);
        const std::vector<ValueId> made =
            graph_.apply(phase, std::make_shared<CrossEntropy>(scale), {logits, targets},
                         {prefix + "loss", prefix + "correct"}, Role::kResult);
        return {made[0], made[1]};
    }
    const LinearCrossEntropyOptions options{model_.tie, scale};
    const ValueId head = weights_.matrix(head_weight(model_));
    std::vector<ValueId> read{features, head, targets};
    if (mean_over != kNoValue) read.push_back(mean_over);
    return {graph_.apply1(phase, std::make_shared<LinearCrossEntropy>(options), std::move(read),
                          prefix + "loss", Role::kResult),
            kNoValue};
}

}  // namespace headroom
