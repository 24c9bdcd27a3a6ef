#pragma once

#include "cuda/kernel.h"

namespace headroom::cuda {

// One function for each operator, in the file of the operator's name in cuda/ops/.

Kernel activation_kernel(const Op& op);
Kernel activation_backward_kernel(const Op& op);
Kernel gated_activation_kernel(const Op& op);
Kernel gated_activation_backward_kernel(const Op& op);
Kernel adamw_kernel(const Op& op);
Kernel gradient_norm_kernel(const Op& op);
Kernel add_kernel(const Op& op);
Kernel add_bias_kernel(const Op& op);
Kernel add_bias_backward_kernel(const Op& op);
Kernel attention_kernel(const Op& op);
Kernel attention_backward_kernel(const Op& op);
Kernel cached_attention_kernel(const Op& op);
Kernel cast_kernel(const Op& op);
Kernel classifier_loss_kernel(const Op& op);
Kernel classifier_loss_with_gradient_kernel(const Op& op);
Kernel column_mix_kernel(const Op& op);
Kernel column_mix_backward_data_kernel(const Op& op);
Kernel column_mix_backward_weights_kernel(const Op& op);
Kernel cache_append_kernel(const Op& op);
Kernel last_row_kernel(const Op& op);
Kernel dropout_kernel(const Op& op);
Kernel dyt_kernel(const Op& op);
Kernel dyt_backward_kernel(const Op& op);
Kernel embedding_kernel(const Op& op);
Kernel embedding_backward_tokens_kernel(const Op& op);
Kernel embedding_backward_positions_kernel(const Op& op);
Kernel head_linear_kernel(const Op& op);
Kernel scaled_sigmoid_kernel(const Op& op);
Kernel scaled_sigmoid_backward_kernel(const Op& op);
Kernel sinkhorn_kernel(const Op& op);
Kernel sinkhorn_backward_kernel(const Op& op);
Kernel layernorm_kernel(const Op& op);
Kernel layernorm_backward_kernel(const Op& op);
Kernel rmsnorm_kernel(const Op& op);
Kernel rmsnorm_backward_kernel(const Op& op);
Kernel linear_kernel(const Op& op);
Kernel linear_backward_input_kernel(const Op& op);
Kernel linear_backward_weight_kernel(const Op& op);
Kernel rotary_kernel(const Op& op);

}  // namespace headroom::cuda
