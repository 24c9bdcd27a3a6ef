#pragma once

#include <string>
#include <vector>

#include "core/config/job.h"
#include "core/graph/graph.h"
#include "core/model/parameters.h"
#include "core/model/router_value.h"

namespace headroom {

/// A parameter of the graph and what the optimizer keeps for it (kNoValue in an inference graph).
struct GraphParameter {
    ParameterSpec spec;
    ValueId value = kNoValue;
    ValueId gradient = kNoValue;
    ValueId moment1 = kNoValue, moment2 = kNoValue;
};

/// What a batch is written to and its evaluation read from.
struct EvaluationValues {
    std::vector<ValueId> inputs;   ///< called as the tensors of a batch (core/data/batch.h)
    ValueId eval_loss = kNoValue;  ///< [1], after kEvaluate
    /// The same: targets that are told rightly, [1]. kNoValue of tokens.
    ValueId eval_correct = kNoValue;
    std::vector<RouterValue> routers;  ///< the same: of the layers with experts
};

/// What the sum of the losses of a micro-batch is divided by: the targets in it that count, or a
/// number that is written with it, so that the micro-batches of a step with different numbers of
/// targets have the mean of the whole step.
enum class MeanOver { kOwnTargets, kGiven };

/// Everything that one optimizer step and an evaluation of a job need, as one graph.
struct TrainingGraph {
    Graph graph;
    std::vector<GraphParameter> parameters;
    EvaluationValues values;
    ValueId mean_over = kNoValue;  ///< input float64 [1] of MeanOver::kGiven, which >= 1
    ValueId loss = kNoValue;       ///< [1], of the last micro-batch, after kForward and kBackward
    ValueId correct = kNoValue;    ///< [1], the same: images that are told rightly
    ValueId grad_norm = kNoValue;  ///< float64 [1], after kUpdate, before clipping
};

/// The graph of a job. vocab_size must be known.
/// As a process alone needs it: the mean is given where the micro-batches of a masked objective
/// have different numbers of targets.
TrainingGraph build_training_graph(const Job& job);
TrainingGraph build_training_graph(const Job& job, MeanOver mean);

/// Forward and backward of the same, for what looks at gradients only: no update, no moments, no
/// evaluation.
TrainingGraph build_gradient_graph(const Job& job, MeanOver mean);

/// The evaluation alone.
struct EvaluationGraph {
    Graph graph;
    std::vector<GraphParameter> parameters;
    EvaluationValues values;
    ValueId features = kNoValue;  ///< what the classifier reads
};

EvaluationGraph build_evaluation_graph(const Job& job);

/// A forward pass over [batch_size, seq_len] tokens, or as many images.
struct InferenceGraph {
    Graph graph;
    std::vector<GraphParameter> parameters;
    ValueId input = kNoValue;  ///< of InputBuilder
    /// Of Objective::logits, in storage type `precision`; kNoValue in a feature graph.
    ValueId logits = kNoValue;
    /// See ForwardBuilder::streams.
    std::vector<ValueId> streams;
};

/// The pass that yields all logits.
InferenceGraph build_inference_graph(const ModelConfig& model, DType precision, int64_t batch_size,
                                     int64_t seq_len);

/// The pass without the classifier: for probes, which keep what they look at.
InferenceGraph build_feature_graph(const ModelConfig& model, DType precision, int64_t batch_size,
                                   int64_t seq_len);

}  // namespace headroom
