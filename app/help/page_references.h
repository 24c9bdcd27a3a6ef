#pragma once

#include <string>
#include <vector>

namespace headroom {

/// What goes with a page of the window: commands that do the same ("study compare") and chapters
/// that define its numbers, as README file and heading.
struct PageReferences {
    std::string page;
    std::vector<std::string> commands;
    std::vector<std::string>
        chapters;  ///< "core/probe/README.md#`similarity`"; "#" alone: the beginning
};

/// One for every page of the window; a test says so.
const std::vector<PageReferences>& page_references();

}  // namespace headroom
