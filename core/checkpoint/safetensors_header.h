#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/safetensors.h"

namespace headroom {

/// The header of a safetensors file, checked.
struct SafetensorsHeader {
    std::vector<std::string> names;  ///< in the order of the data
    std::map<std::string, TensorInfo, std::less<>> tensors;
    std::map<std::string, std::string, std::less<>> metadata;
};

/// "F32" and so on; none for a name that is unknown here.
std::optional<StoredType> parse_stored_type(std::string_view name);

/// Reads and checks the header of the file whose bytes are `bytes`. `file` names it in the
/// UserErrors.
SafetensorsHeader parse_safetensors_header(std::span<const std::byte> bytes,
                                           const std::string& file);

}  // namespace headroom
