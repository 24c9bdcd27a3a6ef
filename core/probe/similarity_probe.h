#pragma once

#include <string>
#include <vector>

#include "core/log/array_file.h"
#include "core/probe/number_array.h"
#include "core/probe/probe_pass.h"

namespace headroom {

/// How alike heads, tokens and layers are; core/probe/README.md, section `similarity`, defines
/// every number. T' = min(T, 128); L' = L + 1 for `stream`, else L.
struct SimilarityNumbers {
    NumberArrays heads;           ///< output, value, key, query, weights: [L, H, H]
    NumberArrays tokens;          ///< stream, input, value, key: [L', T', T'], of sequence 0
    NumberArrays token_means;     ///< the same names: [L']
    NumberArrays effective_rank;  ///< the same names: [L']
    NumberArray cka;              ///< [L + 1, L + 1]
    NumberArray cka_other = {};   ///< [L + 1, L_other + 1]; empty without another model
};

/// Names under SimilarityNumbers::heads and in the file, the one that is shown first at the front.
std::vector<std::string> head_similarity_tensors();
/// The same of SimilarityNumbers::tokens.
std::vector<std::string> token_similarity_tensors();

inline constexpr int64_t kSimilarityTokens = 128;

/// What the pass must keep for measure_similarity.
ProbeTaps similarity_taps(const ModelConfig& model);

/// REQUIRES: pass.run() with these taps. Memory: all residual streams in float64.
SimilarityNumbers measure_similarity(const ProbePass& pass);

/// CKA between the streams of two models that were run on the same tokens. REQUIRES: both tapped.
NumberArray cka_between(const ProbePass& pass, const ProbePass& other);

void write_similarity(ArrayFileWriter& file, const SimilarityNumbers& numbers);

}  // namespace headroom
