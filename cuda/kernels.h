#pragma once

#include "cuda/kernel.h"

namespace headroom::cuda {

// One function for each operator, in the file of the operator's name in cuda/ops/.

Kernel activation_kernel(const Op& op, Types inputs);
Kernel activation_backward_kernel(const Op& op, Types inputs);
Kernel gated_activation_kernel(const Op& op, Types inputs);
Kernel gated_activation_backward_kernel(const Op& op, Types inputs);
Kernel adamw_kernel(const Op& op, Types inputs);
Kernel gradient_norm_kernel(const Op& op, Types inputs);
Kernel add_kernel(const Op& op, Types inputs);
Kernel add_bias_kernel(const Op& op, Types inputs);
Kernel add_bias_backward_kernel(const Op& op, Types inputs);
Kernel attention_kernel(const Op& op, Types inputs);
Kernel attention_backward_kernel(const Op& op, Types inputs);
Kernel cached_attention_kernel(const Op& op, Types inputs);
Kernel cast_kernel(const Op& op, Types inputs);
Kernel linear_cross_entropy_kernel(const Op& op, Types inputs);
Kernel linear_cross_entropy_with_gradient_kernel(const Op& op, Types inputs);
Kernel column_mix_kernel(const Op& op, Types inputs);
Kernel column_mix_backward_data_kernel(const Op& op, Types inputs);
Kernel column_mix_backward_weights_kernel(const Op& op, Types inputs);
Kernel cache_append_kernel(const Op& op, Types inputs);
Kernel last_row_kernel(const Op& op, Types inputs);
Kernel dropout_kernel(const Op& op, Types inputs);
Kernel dyt_kernel(const Op& op, Types inputs);
Kernel dyt_backward_kernel(const Op& op, Types inputs);
Kernel embedding_kernel(const Op& op, Types inputs);
Kernel embedding_backward_tokens_kernel(const Op& op, Types inputs);
Kernel embedding_backward_positions_kernel(const Op& op, Types inputs);
Kernel head_linear_kernel(const Op& op, Types inputs);
Kernel scaled_sigmoid_kernel(const Op& op, Types inputs);
Kernel scaled_sigmoid_backward_kernel(const Op& op, Types inputs);
Kernel sinkhorn_kernel(const Op& op, Types inputs);
Kernel sinkhorn_backward_kernel(const Op& op, Types inputs);
Kernel layernorm_kernel(const Op& op, Types inputs);
Kernel layernorm_backward_kernel(const Op& op, Types inputs);
Kernel rmsnorm_kernel(const Op& op, Types inputs);
Kernel rmsnorm_backward_kernel(const Op& op, Types inputs);
Kernel linear_kernel(const Op& op, Types inputs);
Kernel linear_backward_input_kernel(const Op& op, Types inputs);
Kernel linear_backward_weight_kernel(const Op& op, Types inputs);
Kernel rotary_kernel(const Op& op, Types inputs);

}  // namespace headroom::cuda
