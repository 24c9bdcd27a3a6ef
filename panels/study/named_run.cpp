#include "panels/study/named_run.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace headroom {

std::vector<RunPointer> find_named_runs(const std::vector<RunPointer>& runs,
                                        const std::string& word) {
    std::vector<RunPointer> found;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(found), [&](const RunPointer& run) {
        return run->id == word || run->name == word || run->group == word;
    });
    if (found.empty())
        std::copy_if(runs.begin(), runs.end(), std::back_inserter(found),
                     [&](const RunPointer& run) {
                         return run->id == fmt::format("{}-s{}", word, run->seed);
                     });
    return found;
}

RunPointer find_named_run(const std::vector<RunPointer>& runs, const std::string& word) {
    const std::vector<RunPointer> found = find_named_runs(runs, word);
    return found.empty() ? nullptr : found.front();
}

}  // namespace headroom
