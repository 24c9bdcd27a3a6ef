#pragma once

#include <filesystem>

#include "core/study/study_document.h"

namespace headroom {

/// Takes back a change of study.json. Where the file still reads as it did after that, it is as
/// before again to the last byte; else it gets the runs, figures, claims and published values that
/// the change took out, a run as a seed of its variant, whatever job that has by now. One that is
/// gone by now stays so. UserError for a text or a file that is broken, EnvironmentError where the
/// folder cannot be written.
void restore_study(const std::filesystem::path& study_dir, const StudyTexts& change);

}  // namespace headroom
