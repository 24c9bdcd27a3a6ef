#include "panels/study/named_run.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/study/study.h"

namespace headroom {

std::vector<RunPointer> find_named_runs(const std::vector<RunPointer>& runs,
                                        const std::string& word) {
    std::vector<RunPointer> found;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(found), [&](const RunPointer& run) {
        return run->id == word || run->name == word || run->group == word;
    });
    if (found.empty())
        std::copy_if(runs.begin(), runs.end(), std::back_inserter(found),
                     [&](const RunPointer& run) { return run->id == id_of_seed(word, run->seed); });
    return found;
}

RunPointer find_named_run(const std::vector<RunPointer>& runs, const std::string& word) {
    const auto own = std::find_if(runs.begin(), runs.end(),
                                  [&](const RunPointer& run) { return run->id == word; });
    if (own != runs.end()) return *own;  // and not another that a person calls so
    const std::vector<RunPointer> found = find_named_runs(runs, word);
    return found.empty() ? nullptr : found.front();
}

std::string find_baseline_group(const std::vector<RunPointer>& runs, const std::string& word) {
    if (const RunPointer named = find_named_run(runs, word)) return named->group;
    std::vector<std::string> groups, points, names;
    for (const RunPointer& run : runs) {
        if (std::find(groups.begin(), groups.end(), run->group) == groups.end()) {
            groups.push_back(run->group);
            if (run->group.starts_with(word + " · ") || run->id.starts_with(word + "-"))
                points.push_back(run->group);
        }
        names.push_back(run->id);
    }
    if (!points.empty())
        throw UserError(fmt::format("the baseline {} was trained in {} ways", word, points.size()),
                        fmt::format("name one: \"{}\"", fmt::join(points, "\", \"")));
    names.insert(names.end(), groups.begin(), groups.end());
    const bool is_near = !nearest(word, names).empty();
    throw UserError(fmt::format("the baseline {} is not among the runs{}", word,
                                suggestion(word, is_near ? names : groups)));
}

}  // namespace headroom
