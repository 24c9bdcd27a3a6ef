#pragma once

#include "core/weights/interop/layout.h"

namespace headroom::hf_neox {

/// Hugging Face GPTNeoXForCausalLM: Pythia, GPT-NeoX-20B. Attention and MLP side by side with a
/// norm each (or in turn), the first columns of every head rotated, q, k and v of a head beside
/// each other in one matrix. Black et al. 2022, arXiv:2204.06745, section 2.1; Biderman et al.
/// 2023, arXiv:2304.01373.
Layout layout();

}  // namespace headroom::hf_neox
