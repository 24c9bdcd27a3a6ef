#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/config/model_config.h"

namespace headroom {

/// Stored numbers of a model. vocab_size must be known.
struct ParameterCount {
    int64_t total = 0;
    /// Without wte, wpe and lm_head, norms kept: Karbevski & Mijoski, table 2, whose head is tied;
    /// Biderman et al. (Pythia), table 1, and what SkipV1Former's shares are of, whose heads are
    /// not. Of images without the class token, wpe and the classifier.
    int64_t non_embedding = 0;
    /// The count that nanoGPT prints: without wpe only.
    int64_t without_positions = 0;
    /// Of the total what one token uses: of experts top_k, and their router.
    int64_t active = 0;
    std::vector<std::pair<std::string, int64_t>> by_role;  ///< only roles that occur
    std::vector<int64_t> by_layer;                         ///< with shared layers, all in the first
};

ParameterCount count_parameters(const ModelConfig& model);

}  // namespace headroom
