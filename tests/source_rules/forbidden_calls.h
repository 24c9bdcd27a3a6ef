#pragma once

#include <string>
#include <vector>

#include "tests/source_rules/source_tree.h"

namespace headroom {

/// One line for every call in a file of the product that another place of the project does with
/// more care: "FILE:LINE: what it is; what to use". Empty for files of tests.
std::vector<std::string> forbidden_calls(const SourceFile& file);

}  // namespace headroom
