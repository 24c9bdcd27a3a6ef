#pragma once

#include "core/surgery/surgery.h"

namespace headroom {

// Surgeries that stay inside the attention: whatever surrounds it, norms included, is untouched.

/// 11.3: one head has W_Q W_K^T and W_V W_O alone.
SurgeryPlan plan_merge_head(const ModelConfig& model, const SurgeryRequest& request);
TensorFunction merged_head_tensors(const SurgeryPlan& plan);

/// 11.2: W_Q^h -> W_Q^h D, W_K^h -> W_K^h D^-T with a random D of condition 4 for each key head.
SurgeryPlan plan_change_head_basis(const ModelConfig& model, const SurgeryRequest& request);
TensorFunction changed_head_tensors(const SurgeryPlan& plan);

/// What change-head-basis draws for a key head: singular values from 1/2 to 2, evenly in the
/// logarithm, between two random rotations; `inverse_transposed` is D^-T.
Matrix random_head_basis(uint64_t seed, const LayerMatrix& key, int head, int64_t d_head,
                         bool inverse_transposed);

}  // namespace headroom
