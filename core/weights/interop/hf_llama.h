#pragma once

#include "core/weights/interop/layout.h"

namespace headroom::hf_llama {

/// Hugging Face LlamaForCausalLM and what computes the same: Mistral, Qwen 2 and Qwen 3.
Layout layout();

}  // namespace headroom::hf_llama
