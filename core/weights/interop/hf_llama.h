#pragma once

#include "core/weights/interop/layout.h"

namespace headroom {

/// Hugging Face LlamaForCausalLM and what computes the same: Mistral, Qwen 2 and Qwen 3.
Layout hf_llama_layout();

}  // namespace headroom
