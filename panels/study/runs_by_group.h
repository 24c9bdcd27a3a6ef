#pragma once

#include <string>
#include <vector>

#include "panels/study/run.h"

namespace headroom {

struct RunGroup {
    std::string name;
    std::vector<RunPointer> runs;
};

/// Runs by their groups, each in the order of its first run.
std::vector<RunGroup> groups_of(const std::vector<RunPointer>& runs);

}  // namespace headroom
