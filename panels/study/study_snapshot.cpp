#include "panels/study/study_snapshot.h"

#include <algorithm>

namespace headroom {

RunPointer StudySnapshot::find(const std::string& id) const {
    const auto at =
        std::find_if(runs.begin(), runs.end(), [&](const auto& run) { return run->id == id; });
    return at == runs.end() ? nullptr : *at;
}

}  // namespace headroom
