#pragma once

#include <string>

#include "core/model/graph_weights.h"
#include "core/model/parameter_list.h"

namespace headroom {

/// What is made of the features of a forward pass, (batch_size, seq_len, d_model): logits over the
/// vocabulary, and the loss that training minimises: the cross entropy with the targets, in nats,
/// mean over those that count.
class Objective {
  public:
    static void add_parameters(ParameterList& list);
    /// What a batch must hold for it: "targets", int32 [batch_size, seq_len], kIgnoredTarget
    /// allowed.
    static ValueId add_input(Graph& graph, int64_t batch_size, int64_t seq_len);
    /// Name of the matrix that makes logits of features: with tied embeddings their table.
    static std::string head_weight(const ModelConfig& model);

    Objective(Graph& graph, const ModelConfig& model, const GraphWeights& weights)
        : graph_(graph), model_(model), weights_(weights) {}

    /// (batch_size, seq_len, vocab_size).
    ValueId logits(Phase phase, ValueId features, const std::string& name);
    /// [1]. `targets`: int32 (batch_size, seq_len), kIgnoredTarget allowed. `mean_over`: float64
    /// [1], what the sum is divided by, or kNoValue for the number of targets that count. The
    /// gradient is that of `scale` times the loss.
    ValueId loss(Phase phase, ValueId features, ValueId targets, ValueId mean_over, double scale,
                 const std::string& name);

  private:
    Graph& graph_;
    const ModelConfig& model_;
    const GraphWeights& weights_;
};

}  // namespace headroom
