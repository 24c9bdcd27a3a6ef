#pragma once

#include <string>
#include <vector>

namespace headroom {

/// Rows of cells as lines with columns as wide as their widest text, which may be any text:
/// control characters are written out.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace headroom
