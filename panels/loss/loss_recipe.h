#pragma once

#include <span>

#include "core/study/study.h"
#include "panels/loss/loss_settings.h"
#include "panels/study/run.h"

namespace headroom {

/// What is shown of these runs as a figure that `headroom figure loss` and a study draw anew, with
/// what is zoomed to.
StudyFigure loss_recipe(std::span<const RunPointer> runs, const LossSettings& settings);

}  // namespace headroom
