#pragma once

#include <vector>

#include "panels/study/run.h"

namespace headroom {

/// Training FLOPs a second at which these runs go or went here: the middle one of the first nine
/// that tell, 0 where none does.
double training_rate(const std::vector<RunPointer>& runs);

}  // namespace headroom
