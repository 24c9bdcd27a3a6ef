#pragma once

#include <cstdint>

#include "core/config/model_config.h"

namespace headroom {

/// Floating-point operations per token, by the field's convention (Kaplan et al. 2020, Chowdhery et
/// al. 2022 appendix B): a multiply-add is 2, only matrix products count, the backward pass is
/// twice the forward pass, and attention is counted over all seq_len keys; the half that the causal
/// mask saves is not subtracted.
///
///     forward  = 2 N + 2 n_layer seq_len (width of queries + width of values)
///     training = 3 forward = 6 N + 12 n_layer d_model seq_len   where n_head * d_head = d_model
///
/// N = parameters that enter products: the classifier once (tied or not), embedding look-ups never,
/// gains, biases and the weights of mixtures (lambdas, DenseFormer's averages, hyper-connections)
/// never, shared layers once for every use, of experts the router and the top_k that a token is
/// given to. Heads that read from another layer, or nothing, are
/// attended to like any other; latent attention forms its keys and values as in training. An
/// encoder counts the same, and for it nothing is masked. Of images a token is a position; the
/// patches' map and the classifier count as often as an image uses them, shared out over its
/// positions and rounded down.
struct FlopCount {
    int64_t product_parameters = 0;  ///< N
    int64_t forward_products = 0;    ///< 2 N
    int64_t forward_attention = 0;

    int64_t forward() const { return forward_products + forward_attention; }
    int64_t training() const { return 3 * forward(); }
};

/// vocab_size must be known.
FlopCount count_flops(const ModelConfig& model, int64_t seq_len);

}  // namespace headroom
