#pragma once

#include "core/weights/interop/layout.h"

namespace headroom::hf_gpt2 {

/// Hugging Face GPT2LMHeadModel and GPT2Model: matrices of Conv1D, [in, out]; biases everywhere.
Layout layout();

}  // namespace headroom::hf_gpt2
