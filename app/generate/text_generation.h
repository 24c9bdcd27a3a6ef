#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/decode/decoding_session.h"
#include "core/decode/generation_event.h"
#include "core/decode/sampler.h"
#include "datasets/tokenizers/tokenizer.h"

namespace headroom {

/// A prompt and how to continue it.
struct TextGeneration {
    const Tokenizer& tokenizer;
    std::vector<int32_t> prompt;
    int64_t max_new = 0;
    SamplingOptions sampling;
    size_t likeliest = 0;  ///< tokens that each event names beside the chosen one
};

struct GeneratedText {
    std::vector<int32_t> tokens;
    double prefill_seconds = 0;
    double tokens_per_second = 0;  ///< after the first one, which the prompt gives; 0: unknown
};

/// Reads the prompt and makes tokens until the tokenizer's end of text or max_new, telling each as
/// it comes. REQUIRES: a session with room for all of them. UserError if the model gives logits
/// that are no numbers.
GeneratedText generate_text(DecodingSession& session, const TextGeneration& asked,
                            const std::function<void(const GenerationEvent&)>& tell);

}  // namespace headroom
