#pragma once

#include "datasets/tokenizers/pipeline/json_part.h"
#include "datasets/tokenizers/text_pattern.h"

namespace headroom {

/// The member "pattern" of a part: {"String": TEXT} or {"Regex": EXPRESSION}.
TextPattern read_pattern(const JsonPart& part);

}  // namespace headroom
