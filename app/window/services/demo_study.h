#pragma once

#include <filesystem>

#include "panels/study/study_snapshot.h"

namespace headroom {

/// The folder of the demo study, made where it is missing: studies/demo of the source tree that
/// this program was built in (the one that ./run uses), or of the person's data folder where the
/// tree cannot be written to. EnvironmentError where resources/demo is missing or no place is
/// writable.
std::filesystem::path prepare_demo_study();

/// Whether this is the demo study, wherever its copy lies.
bool is_demo_study(const StudySnapshot& study);

}  // namespace headroom
