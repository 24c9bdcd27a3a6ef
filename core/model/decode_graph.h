#pragma once

#include <vector>

#include "core/model/decode_caches.h"
#include "core/model/model_graph.h"

namespace headroom {

struct DecodeShape {
    int64_t batch_size = 1;
    int64_t capacity = 0;  ///< positions that the caches hold
    int64_t chunk = 64;    ///< most tokens of the prompt that one pass takes in
    int64_t step = 1;      ///< most tokens of a pass that gives the logits of them all
};

/// Two passes over one set of weights and caches, both from StepContext::position on: kForward
/// takes in up to `chunk` tokens of every sequence and gives the logits of the last one
/// (batch_size, 1, vocab_size), kDecode up to `step` and the logits of all of them (batch_size,
/// step, vocab_size). Storage type `precision`.
struct DecodeGraph {
    Graph graph;
    std::vector<GraphParameter> parameters;
    DecodeCaches caches;
    ValueId chunk_tokens = kNoValue, chunk_logits = kNoValue;
    ValueId tokens = kNoValue, logits = kNoValue;
};

/// Throws UserError for a model without a mask: its past depends on its future.
void check_continues(const ModelConfig& model);

/// Throws as check_continues does.
DecodeGraph build_decode_graph(const ModelConfig& model, DType precision, const DecodeShape& shape);

}  // namespace headroom
