#pragma once

#include <string>

#include "core/model/graph_weights.h"
#include "core/model/parameter_list.h"

namespace headroom {

/// What training minimises, and what it is told beside.
struct LossValues {
    ValueId loss = kNoValue;  ///< [1], nats
    /// Of classes: how many targets that count are told rightly, [1].
    ValueId correct = kNoValue;
};

/// What is made of the features of a forward pass, (batch_size, seq_len, d_model): logits, and the
/// loss that training minimises: the cross entropy with the targets, in nats, mean over those that
/// count. Of tokens every position has logits over the vocabulary and a target; of images the
/// pooled position has logits over the classes.
class Objective {
  public:
    static void add_parameters(ParameterList& list);
    /// What a batch must hold for it: "targets", int32 [batch_size, seq_len], of images
    /// [batch_size]; kIgnoredTarget allowed.
    static ValueId add_input(Graph& graph, const ModelConfig& model, int64_t batch_size,
                             int64_t seq_len);
    /// Name of the matrix that makes logits of features: with tied embeddings their table.
    static std::string head_weight(const ModelConfig& model);

    Objective(Graph& graph, const ModelConfig& model, const GraphWeights& weights)
        : graph_(graph), model_(model), weights_(weights) {}

    /// (batch_size, seq_len, vocab_size), of images (batch_size, vocab_size).
    ValueId logits(Phase phase, ValueId features, const std::string& name);
    /// `targets`: of add_input. `mean_over`: float64 [1], what the sum is divided by, or kNoValue
    /// for the number of targets that count; of tokens only. The gradient is that of `scale` times
    /// the loss. Names: PREFIX + "loss"; of images also "correct" and "logits".
    LossValues loss(Phase phase, ValueId features, ValueId targets, ValueId mean_over, double scale,
                    const std::string& prefix);

  private:
    ValueId class_logits(Phase phase, ValueId features, const std::string& name, Role role);

    Graph& graph_;
    const ModelConfig& model_;
    const GraphWeights& weights_;
};

}  // namespace headroom
