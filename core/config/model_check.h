#pragma once

#include "core/config/model_config.h"

namespace headroom {

/// Throws UserError for a combination of keys that no model can have, such as an identity query
/// whose heads do not add up to d_model. Each key by itself was checked by the schema.
void check_model(const ModelConfig& config);

}  // namespace headroom
