#pragma once

#include "core/config/model_config.h"
#include "core/ops/activation.h"

namespace headroom {

/// The elementwise map of an MLP: of its gate where it has one.
ActivationKind activation_of(MlpKind kind);

}  // namespace headroom
