#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/config/model_config.h"
#include "core/device/device.h"
#include "core/model/model_graph.h"

namespace headroom {

/// The weights of a model by name, as numbers that a test may change.
using Weights = std::map<std::string, std::vector<double>>;

/// Weights far from their initial values (deviation 0.4, mixing weights too), equal for equal names
/// and shapes.
Weights random_weights(const ModelConfig& model, uint64_t seed = 7);

/// What the run's own initialisation gives.
Weights initial_weights(const ModelConfig& model, uint64_t seed = 7);

/// Writes them into the parameters of an executor and makes its working copies.
void write_weights(Executor& executor, const std::vector<GraphParameter>& parameters,
                   const Weights& weights);

/// Logits (tokens, vocab_size) of a forward pass, computed with storage type `precision`.
/// REQUIRES: `weights` has every tensor of the model; others are ignored.
std::vector<double> forward_logits(const ModelConfig& model, const Weights& weights,
                                   const std::vector<int32_t>& tokens,
                                   DType precision = DType::kF64);

/// Tokens that name every one of `vocab_size` sooner or later.
std::vector<int32_t> some_tokens(int64_t count, int64_t vocab_size);

/// max |a - b| / max |b|.
double relative_error(const std::vector<double>& a, const std::vector<double>& b);

/// Mean cross-entropy of all but the last token of every sequence of `seq_len` tokens, from the
/// logits.
double loss_of(const ModelConfig& model, const Weights& weights, const std::vector<int32_t>& tokens,
               int64_t seq_len);

}  // namespace headroom
