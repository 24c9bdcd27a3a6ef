#pragma once

#include <string>
#include <vector>

namespace headroom {

/// Rows of cells as lines with columns as wide as their widest text, which may be any UTF-8.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace headroom
