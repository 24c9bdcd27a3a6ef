#pragma once

#include <string>
#include <vector>

#include "tests/source_rules/source_tree.h"

namespace headroom {

/// What `file` includes against the rules of the README's folder map, one sentence each:
/// rooms include only the rooms below them, Qt, ImGui, HDF5, CUDA, JSON and CLI11 stay where they
/// belong, the project's own headers are named from the repository's root.
std::vector<std::string> include_violations(const SourceFile& file);

}  // namespace headroom
