#pragma once

#include <cuda_runtime.h>

#include "core/base/bf16.h"
#include "cuda/decode/decoding.h"

namespace headroom::cuda {

/// The blocks of a PromptPlan of this shape; made in the file of their width (attention/width_*).
template <int kShape>
void prompt_attention(cudaStream_t stream, const Decoding<bf16>& decoding, int64_t blocks);

}  // namespace headroom::cuda
