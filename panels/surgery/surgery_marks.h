#pragma once

#include "panels/architecture/drawing_layout.h"
#include "panels/surgery/surgery_plan.h"

namespace headroom {

/// Writes into the picture of a model what a surgery does with the attention matrices of the blocks
/// that it shows in detail. Under one that the line `chosen` takes stands "goes"; under one that no
/// line of the surgery can take "stays: norm", the assumption that fails, with the whole sentence
/// where one points. The others keep their sizes: another line takes them.
/// `chosen` may be nullptr.
void mark_plan(DrawingLayout& drawing, const PlanGroup& group, const PlanLine* chosen);

}  // namespace headroom
