#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/config/open_keys.h"

namespace headroom {

/// Fills in everything that `given` (the model section of a file, each key checked by itself)
/// leaves open: the preset, over the keys of its architecture; an architecture that is given itself
/// over both; then every other key's own default (core/config/*_fields.cpp). Returns every model
/// key but `preset`. Throws UserError where a default does not exist, such as heads that do not
/// divide d_model.
nlohmann::json resolve_model_keys(const nlohmann::json& given, KeysOf use);

}  // namespace headroom
