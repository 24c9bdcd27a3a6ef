#pragma once

#include <string>
#include <vector>

#include "panels/study/run.h"

namespace headroom {

/// Reads the runs that arguments name: each is a run folder, or a study folder for all its runs
/// that have begun. A run named twice counts once. Throws UserError for what is neither, for a run
/// without a log, and for a log that cannot be read; of a study, where `left_out` is given and
/// other runs are left, the ids of such runs go there instead.
std::vector<RunPointer> read_runs(const std::vector<std::string>& arguments,
                                  std::vector<std::string>* left_out = nullptr);

/// The run that `word` means among `runs`: by id, name, group or folder. UserError naming the
/// option `option` and the nearest run otherwise.
RunPointer find_run(const std::vector<RunPointer>& runs, const std::string& word,
                    const std::string& option);

}  // namespace headroom
