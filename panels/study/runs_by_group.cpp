#include "panels/study/runs_by_group.h"

#include <algorithm>

namespace headroom {

std::vector<RunGroup> groups_of(const std::vector<RunPointer>& runs) {
    std::vector<RunGroup> groups;
    for (const RunPointer& run : runs) {
        const auto known = std::find_if(groups.begin(), groups.end(),
                                        [&](const RunGroup& g) { return g.name == run->group; });
        if (known == groups.end())
            groups.push_back({run->group, {run}});
        else
            known->runs.push_back(run);
    }
    return groups;
}

}  // namespace headroom
