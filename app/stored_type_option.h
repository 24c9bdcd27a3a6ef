#pragma once

#include <optional>
#include <string>

#include "core/checkpoint/safetensors.h"

namespace headroom {

/// What --dtype says of the tensors of a file to write; none for "keep". UserError naming --dtype.
std::optional<StoredType> stored_type_option(const std::string& text);

}  // namespace headroom
