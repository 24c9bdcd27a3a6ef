#pragma once

#include "core/config/model_config.h"
#include "core/weights/interop/layout.h"

namespace headroom {

/// The model as the layout would describe it. UserError naming the key that it cannot express.
/// Differs from `config` at most in having biases, then to be zero.
ModelConfig config_in_layout(const Layout& layout, const ModelConfig& config);

}  // namespace headroom
