#pragma once

#include <cstdint>
#include <string_view>

#include "core/linalg/matrix.h"

namespace headroom {

// The arithmetic of config/conversions.h: how the projections of a trained multi-head layer become
// fewer, half of the value heads for SkipV1Former or groups of heads for GQA.

/// The way of values through one layer, u W_V, attention, W_O. Heads are column blocks of W_V and
/// row blocks of W_O, all of one width.
struct ValueOutput {
    Matrix v;       ///< [d_model, heads * d_head]
    Matrix v_bias;  ///< [1, heads * d_head], or empty
    Matrix o;       ///< [heads * d_head, d_model], or empty where the layer has no W_O
    Matrix o_bias;  ///< [1, d_model], or empty
};

// [UPTRAIN-SV] Wu et al., SkipV1Former, uptraining. Each takes a layer of H heads (H even) and
// leaves n = H/2 value heads of its own, which stand at positions 0 .. n-1; W_O keeps its shape,
// since its other blocks meet the first layer's values. Pairs are adjacent heads. Biases of values
// go the way of their columns.

/// Own value head j is the mean of heads 2j and 2j+1; W_O stays.
ValueOutput uptrain_mean_v(const ValueOutput& layer, int64_t n_head);
/// The same for blocks of W_O; blocks n .. become 0.
ValueOutput uptrain_mean_vo(const ValueOutput& layer, int64_t n_head);
/// The n value heads of largest Frobenius norm, in the order of their indices; W_O stays.
ValueOutput uptrain_top_v(const ValueOutput& layer, int64_t n_head);
/// The same, and the n largest blocks of W_O, chosen by themselves; blocks n .. become 0.
ValueOutput uptrain_top_vo(const ValueOutput& layer, int64_t n_head);
/// W_V W_O = U S V^T at rank r = n d_head: values U_r sqrt(S_r), output sqrt(S_r) V_r^T, the rest
/// 0. What the bias of the values adds to every token, v_bias W_O, moves into o_bias.
ValueOutput uptrain_svd(const ValueOutput& layer, int64_t n_head);

/// One of the five above by its name in conversions(). REQUIRES: n_head is even.
ValueOutput uptrain_values(std::string_view conversion, const ValueOutput& layer, int64_t n_head);
/// Whether it changes W_O too, so that the layer needs one.
bool changes_output(std::string_view conversion);

/// [GQA-2.1] Ainslie et al. 2023, arXiv:2305.13245, section 2.1: the heads of each of n_group
/// contiguous groups of a key or value projection, or of its bias, averaged.
/// [rows, n_head * d_head] -> [rows, n_group * d_head]. REQUIRES: n_group divides n_head.
Matrix mean_of_head_groups(const Matrix& projection, int64_t n_head, int64_t n_group);

}  // namespace headroom
