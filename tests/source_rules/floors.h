#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/source_rules/source_tree.h"

namespace headroom {

/// The project's headers that a file includes, as they stand there.
std::vector<std::string> project_includes(const SourceFile& file);

/// The floor of each folder of core/, from the table of core/README.md: rows
/// "| number | `folder`, `folder` | … |" below the heading "## Floors".
std::map<std::string, int> read_floors(const std::string& readme);

/// One sentence for each include of a file of core/ that does not lead to its own folder or to a
/// lower floor, and one for a folder without a floor.
std::vector<std::string> floor_violations(const SourceFile& file,
                                          const std::map<std::string, int>& floors);

/// Files that include each other in a circle, "a.h -> b.h -> a.h"; "" if there are none.
std::string include_circle(const std::vector<SourceFile>& files);

}  // namespace headroom
