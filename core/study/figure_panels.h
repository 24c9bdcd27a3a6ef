#pragma once

#include <string>
#include <vector>

#include "core/study/study.h"

namespace headroom {

/// The figures that stand as panels on one page, by name. Throws UserError, which begins with
/// `place`, unless they are two to 26 different ones of `figures`, none of them a page of panels.
std::vector<StudyFigure> panels_of(const std::vector<std::string>& names,
                                   const std::vector<StudyFigure>& figures,
                                   const std::string& place);

/// Checks all pages of panels, and gives each the runs of its panels.
void join_panels(std::vector<StudyFigure>& figures);

}  // namespace headroom
