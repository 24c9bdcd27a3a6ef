#pragma once

#include <string>
#include <string_view>

namespace headroom {

/// RFC 4648, section 4, with or without padding; false for anything else.
bool decode_base64(std::string_view text, std::string& bytes);

}  // namespace headroom
