#pragma once

#include <string>

#include "core/config/job.h"

namespace headroom {

/// Fills job.model.vocab_size if it is 0. A preset alone has no data yet: 256 is assumed (of images
/// 10), the byte vocabulary. A job is asked for its data, which must then be readable. Returns
/// where the number is from, or "" if it was given. Throws UserError if the data do not open.
std::string resolve_vocabulary(Job& job, bool preset_alone);

}  // namespace headroom
