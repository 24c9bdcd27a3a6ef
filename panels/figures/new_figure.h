#pragma once

#include <string>

#include "core/study/study.h"
#include "panels/base/study_look.h"

namespace headroom {

/// A figure of this recipe as the window begins one: of all the study's runs, with what the recipe
/// cannot do without. It is called like the recipe. Pure. REQUIRES: a study is open.
StudyFigure new_figure(const std::string& recipe, const StudyLook& look);

}  // namespace headroom
