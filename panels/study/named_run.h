#pragma once

#include <string>
#include <vector>

#include "panels/study/run.h"

namespace headroom {

/// The runs that a word means: those of that id, name or group, else all seeds of what study.json
/// calls so ("skipv1" of skipv1-s1 and skipv1-s2). None if it names none.
std::vector<RunPointer> find_named_runs(const std::vector<RunPointer>& runs,
                                        const std::string& word);
/// The one of that id, else the first of them, or null.
RunPointer find_named_run(const std::vector<RunPointer>& runs, const std::string& word);

/// The group of a run that `word` means. UserError where it means none, which says what there is;
/// of the points of a sweep one has to be chosen.
std::string find_baseline_group(const std::vector<RunPointer>& runs, const std::string& word);

}  // namespace headroom
