#pragma once

#include <cstdint>
#include <vector>

#include "datasets/tokenizers/pipeline/json_part.h"

namespace headroom {

/// The tokens that a tokenizer puts before and behind one text.
struct TemplateTokens {
    std::vector<int32_t> before, behind;
};

/// From the post_processor of a tokenizer.json: TemplateProcessing (its "single"),
/// BertProcessing, RobertaProcessing, ByteLevel (which adds none), Sequence. UserError for others.
TemplateTokens read_template(const JsonPart& part);

}  // namespace headroom
