#pragma once

#include <vector>

#include "core/study/study.h"

namespace headroom {

/// Puts a checkpoint's path, seen from the study's folder, in place of every "run:NAME" under
/// train.init_from: the last of the run NAME with the same seed, or with "run:NAME@STEP" the one
/// after that step. NAME is an id of study.json, at the same point of a sweep where it has one, or
/// of a single run. UserError naming the run where there is no such one, or it keeps no such
/// checkpoint.
void resolve_run_references(std::vector<StudyRun>& runs);

}  // namespace headroom
