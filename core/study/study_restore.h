#pragma once

#include <filesystem>

namespace headroom {

/// Takes back what changed study.json from one file to another, both copies of it. Where it is
/// still as in `after`, it is as in `before` again to the last byte; else it gets the runs,
/// figures, claims and published values of `before` that `after` lacks, a run as a seed of its
/// variant, whatever job that has by now. One that is gone by now stays so. UserError for a file
/// that is broken, EnvironmentError where the folder cannot be written.
void restore_study(const std::filesystem::path& study_dir, const std::filesystem::path& before,
                   const std::filesystem::path& after);

}  // namespace headroom
