#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/study/study.h"

namespace headroom {

/// The arguments of `headroom figure` that stand for one figure of a study: its recipe, those of
/// its runs that have begun, its options; no file to write. Empty if none has begun.
std::vector<std::string> recipe_arguments(const StudyFigure& figure,
                                          const std::filesystem::path& study_dir);

/// The arguments of headroom-studio that draw one figure of a study into figures/NAME.{pdf,svg,
/// png,csv} from those of its runs that have begun; empty if none has.
std::vector<std::string> figure_arguments(const StudyFigure& figure,
                                          const std::filesystem::path& study_dir);

/// Draws every figure of the study with the studio's figure mode, which needs no display. `say`
/// gets a line for each: where it is, or why there is none. Returns true if all could be drawn.
bool write_figures(const Study& study, const std::filesystem::path& study_dir,
                   const std::string& studio_program,
                   const std::function<void(const std::string&)>& say);

}  // namespace headroom
