#pragma once

#include "core/weights/interop/layout.h"

namespace headroom {

/// Hugging Face GPT2LMHeadModel and GPT2Model: matrices of Conv1D, [in, out]; biases everywhere.
Layout hf_gpt2_layout();

}  // namespace headroom
