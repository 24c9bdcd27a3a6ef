#pragma once

#include "core/weights/interop/layout.h"

namespace headroom::nanogpt {

/// nanoGPT (Karpathy, MIT): names of Hugging Face GPT-2, matrices of torch Linear, [out, in].
Layout layout();

}  // namespace headroom::nanogpt
