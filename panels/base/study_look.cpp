#include "panels/base/study_look.h"

#include <algorithm>

namespace headroom {

const std::vector<RunPointer>& StudyLook::runs() const {
    static const std::vector<RunPointer> none;
    return study ? study->runs : none;
}

std::vector<RunPointer> StudyLook::shown_runs() const {
    std::vector<RunPointer> shown;
    for (const RunPointer& each : runs())
        if (is_shown(each->id)) shown.push_back(each);
    return shown;
}

std::vector<RunPointer> StudyLook::compared_runs() const {
    std::vector<std::string> ids{reference};
    ids.insert(ids.end(), selected.begin(), selected.end());
    std::vector<RunPointer> compared;
    for (const std::string& id : ids) {
        const RunPointer found = run(id);
        if (found && std::find(compared.begin(), compared.end(), found) == compared.end())
            compared.push_back(found);
    }
    return compared;
}

}  // namespace headroom
