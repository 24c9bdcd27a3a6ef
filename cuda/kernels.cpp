#include "cuda/kernels.h"

#include <array>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace headroom::cuda {
namespace {

struct Entry {
    std::string_view op;
    Kernel (*make)(const Op&, Types);
};

constexpr std::array kEntries{
    Entry{"activation", activation_kernel},
    Entry{"activation_backward", activation_backward_kernel},
    Entry{"gated_activation", gated_activation_kernel},
    Entry{"gated_activation_backward", gated_activation_backward_kernel},
    Entry{"adamw", adamw_kernel},
    Entry{"gradient_norm", gradient_norm_kernel},
    Entry{"add", add_kernel},
    Entry{"add_bias", add_bias_kernel},
    Entry{"add_bias_backward", add_bias_backward_kernel},
    Entry{"attention", attention_kernel},
    Entry{"attention_backward", attention_backward_kernel},
    Entry{"cached_attention", cached_attention_kernel},
    Entry{"cast", cast_kernel},
    Entry{"linear_cross_entropy", linear_cross_entropy_kernel},
    Entry{"linear_cross_entropy_with_gradient", linear_cross_entropy_with_gradient_kernel},
    Entry{"column_mix", column_mix_kernel},
    Entry{"column_mix_backward_data", column_mix_backward_data_kernel},
    Entry{"column_mix_backward_weights", column_mix_backward_weights_kernel},
    Entry{"cache_append", cache_append_kernel},
    Entry{"last_row", last_row_kernel},
    Entry{"dropout", dropout_kernel},
    Entry{"dyt", dyt_kernel},
    Entry{"dyt_backward", dyt_backward_kernel},
    Entry{"embedding", embedding_kernel},
    Entry{"embedding_backward_tokens", embedding_backward_tokens_kernel},
    Entry{"embedding_backward_positions", embedding_backward_positions_kernel},
    Entry{"head_linear", head_linear_kernel},
    Entry{"scaled_sigmoid", scaled_sigmoid_kernel},
    Entry{"scaled_sigmoid_backward", scaled_sigmoid_backward_kernel},
    Entry{"sinkhorn", sinkhorn_kernel},
    Entry{"sinkhorn_backward", sinkhorn_backward_kernel},
    Entry{"layernorm", layernorm_kernel},
    Entry{"layernorm_backward", layernorm_backward_kernel},
    Entry{"rmsnorm", rmsnorm_kernel},
    Entry{"rmsnorm_backward", rmsnorm_backward_kernel},
    Entry{"linear", linear_kernel},
    Entry{"linear_backward_input", linear_backward_input_kernel},
    Entry{"linear_backward_weight", linear_backward_weight_kernel},
    Entry{"rotary", rotary_kernel},
};

}  // namespace

Kernel make_kernel(const Op& op, Types inputs) {
    for (const Entry& entry : kEntries)
        if (entry.op == op.name()) return entry.make(op, inputs);
    CHECK(false, "the CUDA device has no kernel for " + std::string(op.name()));
}

}  // namespace headroom::cuda
