#include "panels/study/study_snapshot.h"

#include <algorithm>

namespace headroom {

RunPointer StudySnapshot::find(const std::string& id) const {
    const auto at =
        std::find_if(runs.begin(), runs.end(), [&](const auto& run) { return run->id == id; });
    return at == runs.end() ? nullptr : *at;
}

std::vector<RunPointer> selected_or_all(const std::vector<RunPointer>& runs,
                                        const std::vector<std::string>& ids, size_t least) {
    if (ids.size() < least) return runs;
    std::vector<RunPointer> selected;
    for (const RunPointer& run : runs)
        if (std::find(ids.begin(), ids.end(), run->id) != ids.end()) selected.push_back(run);
    return selected;
}

}  // namespace headroom
