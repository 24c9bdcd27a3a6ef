#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headroom {

/// "1,2,3" as ids. UserError naming --tokens; nothing between two commas is a mistake, not 0.
std::vector<int32_t> parse_token_list(const std::string& text);

}  // namespace headroom
