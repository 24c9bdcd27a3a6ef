#include "core/model/model_graph.h"

#include <memory>

#include "core/autodiff/differentiate.h"
#include "core/model/forward_builder.h"
#include "core/model/input_builder.h"
#include "core/model/objective.h"
#include "core/ops/adamw.h"

namespace headroom {
namespace {

/// What a forward pass that ends in the loss is fed: by the part that reads it.
struct LossInputs {
    ValueId stream = kNoValue;  ///< of InputBuilder
    ValueId target = kNoValue;  ///< of Objective
    ValueId mean_over = kNoValue;

    std::vector<ValueId> all() const { return {stream, target}; }
};

LossInputs add_inputs(Graph& graph, const Job& job) {
    const int64_t rows = job.train.batch_size, seq_len = job.train.seq_len;
    return {InputBuilder::add_input(graph, job.model, rows, seq_len),
            Objective::add_input(graph, job.model, rows, seq_len)};
}

double share_of_micro_batch(const Job& job) {
    return 1.0 / static_cast<double>(job.train.grad_accum);
}

/// What a forward pass ends in.
struct PassResults {
    LossValues values;
    std::vector<RouterValue> routers;
    ValueId features;
};

/// One forward pass that ends in the loss.
PassResults build_loss(Graph& graph, const LossInputs& inputs, const Job& job,
                       const GraphWeights& weights, ForwardOptions options) {
    const std::string prefix = options.prefix;
    const Phase phase = options.phase;
    ForwardBuilder forward(graph, job.model, weights, std::move(options));
    const ValueId features = forward.build(inputs.stream);
    return {Objective(graph, job.model, weights)
                .loss(phase, features, inputs.target, inputs.mean_over, share_of_micro_batch(job),
                      prefix),
            forward.routers(), features};
}

void take_evaluation(Graph& graph, const PassResults& made, EvaluationValues& values) {
    values.eval_loss = made.values.loss;
    values.eval_correct = made.values.correct;
    values.routers = made.routers;
    for (const RouterValue& router : made.routers) graph.keep(router.stats);
}

bool decays(const ParameterSpec& spec, const TrainConfig& train) {
    if (spec.role == ParameterRole::kAveraging) return train.dwa_decay;
    if (spec.name.ends_with("lambda")) return false;  // never (SkipV1Former, semantics 6.5)
    const bool matrix = spec.shape.size() >= 2;       // that of hyper-connections, too
    const bool embeds =
        spec.role == ParameterRole::kEmbedding || spec.role == ParameterRole::kPosition;
    switch (train.decay_groups) {
        case DecayGroups::kMatrices:
            return matrix;
        case DecayGroups::kNoEmbeddings:  // a tied head is the embedding
            return matrix && !embeds;
        case DecayGroups::kAll:
            return true;
    }
    CHECK(false, "unknown groups");
}

/// Clipping and AdamW for every parameter that received a gradient; the update also remakes the
/// weight's working copy.
void build_update(TrainingGraph& training, const GraphWeights& weights, const TrainConfig& train) {
    Graph& graph = training.graph;
    std::vector<ValueId> gradients;
    for (const GraphParameter& parameter : training.parameters)
        if (parameter.gradient != kNoValue) gradients.push_back(parameter.gradient);
    training.grad_norm = graph.apply1(Phase::kUpdate, std::make_shared<GradientNorm>(), gradients,
                                      "grad_norm", Role::kResult);
    for (GraphParameter& parameter : training.parameters) {
        if (parameter.gradient == kNoValue) continue;
        const TensorType type = graph.value(parameter.value).type;  // a copy: values may move
        parameter.moment1 = graph.add_value(parameter.spec.name + ".m", type, Role::kOptimizer);
        parameter.moment2 = graph.add_value(parameter.spec.name + ".v", type, Role::kOptimizer);
        AdamWOptions options;
        options.beta1 = train.beta1;
        options.beta2 = train.beta2;
        options.eps = train.eps;
        options.grad_clip = train.grad_clip;
        options.weight_decay = decays(parameter.spec, train) ? train.weight_decay : 0.0;
        std::vector<ValueId> updated{parameter.value, parameter.moment1, parameter.moment2};
        std::vector<Write> writes(3, Write::kAccumulate);
        std::optional<DType> copied;
        if (const ValueId copy = weights.copy(parameter.spec.name); copy != kNoValue) {
            copied = graph.value(copy).type.dtype;
            updated.push_back(copy);
            writes.push_back(Write::kOverwrite);
        }
        graph.append({std::make_shared<AdamW>(options, copied),
                      parameter.spec.name + ".update",
                      Phase::kUpdate,
                      {parameter.gradient, training.grad_norm},
                      updated,
                      writes});
    }
}

/// Forward and backward pass of a graph that has nothing but its weights yet.
LossInputs build_gradients(TrainingGraph& training, const Job& job, const GraphWeights& weights,
                           MeanOver mean) {
    Graph& graph = training.graph;
    training.parameters = weights.parameters();
    const LossInputs inputs = add_inputs(graph, job);
    training.values.inputs = inputs.all();
    if (mean == MeanOver::kGiven)
        training.mean_over = graph.add_value("mean_over", {DType::kF64, {1}}, Role::kInput);
    weights.append_copies();
    const LossInputs trained{inputs.stream, inputs.target, training.mean_over};
    const PassResults made = build_loss(
        graph, trained, job, weights,
        {Phase::kForward, "", job.train.dropout, job.precision, share_of_micro_batch(job)});
    training.loss = made.values.loss;
    training.correct = made.values.correct;
    const auto gradients = differentiate(graph, {{training.loss, kNoValue}});
    for (GraphParameter& parameter : training.parameters)
        if (const auto it = gradients.find(parameter.value); it != gradients.end())
            parameter.gradient = it->second;
    return inputs;
}

}  // namespace

TrainingGraph build_gradient_graph(const Job& job, MeanOver mean) {
    TrainingGraph training;
    build_gradients(training, job, GraphWeights(training.graph, job.model, job.precision), mean);
    return training;
}

TrainingGraph build_training_graph(const Job& job) {
    const bool varies = job.train.is_masked() && job.train.grad_accum > 1;
    return build_training_graph(job, varies ? MeanOver::kGiven : MeanOver::kOwnTargets);
}

TrainingGraph build_training_graph(const Job& job, MeanOver mean) {
    TrainingGraph training;
    Graph& graph = training.graph;
    const GraphWeights weights(graph, job.model, job.precision);
    const LossInputs inputs = build_gradients(training, job, weights, mean);
    build_update(training, weights, job.train);
    take_evaluation(
        graph,
        build_loss(graph, inputs, job, weights, {Phase::kEvaluate, "eval.", 0.0, job.precision}),
        training.values);
    return training;
}

EvaluationGraph build_evaluation_graph(const Job& job) {
    EvaluationGraph evaluation;
    const GraphWeights weights(evaluation.graph, job.model, job.precision);
    evaluation.parameters = weights.parameters();
    const LossInputs inputs = add_inputs(evaluation.graph, job);
    evaluation.values.inputs = inputs.all();
    weights.append_copies();
    const PassResults made = build_loss(evaluation.graph, inputs, job, weights,
                                        {Phase::kEvaluate, "", 0.0, job.precision});
    take_evaluation(evaluation.graph, made, evaluation.values);
    evaluation.features = made.features;
    return evaluation;
}

namespace {

/// Appends the blocks to an empty graph; `use(features, weights)` appends what reads the features.
template <class Use>
InferenceGraph forward_graph(const ModelConfig& model, DType precision, int64_t batch_size,
                             int64_t seq_len, Use&& use) {
    InferenceGraph inference;
    Graph& graph = inference.graph;
    const GraphWeights weights(graph, model, precision);
    inference.parameters = weights.parameters();
    inference.input = InputBuilder::add_input(graph, model, batch_size, seq_len);
    weights.append_copies();
    ForwardBuilder forward(graph, model, weights, {Phase::kForward, "", 0.0, precision});
    const ValueId features = forward.build(inference.input);
    inference.streams = forward.streams();
    use(inference, features, weights);
    return inference;
}

}  // namespace

InferenceGraph build_inference_graph(const ModelConfig& model, DType precision, int64_t batch_size,
                                     int64_t seq_len) {
    return forward_graph(
        model, precision, batch_size, seq_len,
        [&](InferenceGraph& inference, ValueId features, const GraphWeights& weights) {
            inference.logits = Objective(inference.graph, model, weights)
                                   .logits(Phase::kForward, features, "logits");
        });
}

InferenceGraph build_feature_graph(const ModelConfig& model, DType precision, int64_t batch_size,
                                   int64_t seq_len) {
    return forward_graph(model, precision, batch_size, seq_len,
                         [](InferenceGraph& inference, ValueId features, const GraphWeights&) {
                             inference.graph.keep(features);
                         });
}

}  // namespace headroom
