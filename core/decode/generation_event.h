#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace headroom {

/// What `headroom generate --stream` says while a text grows: one JSON object a line, the kind
/// under "event". Start, prompt, a token for each, end; a worker that fails leaves the rest out.
/// Readers ignore keys that they do not know.

/// "start": the checkpoint is loaded, the prompt not yet read.
struct GenerationStart {
    int64_t prompt_tokens = 0;
    int64_t max_new = 0;      ///< most tokens that will come
    int64_t cache_bytes = 0;  ///< that the session holds, room for all of them
    int64_t cache_bytes_per_token = 0;
    std::string precision;  ///< float32, float64 or bfloat16

    bool operator==(const GenerationStart&) const = default;
};

/// "prompt": it is read.
struct PromptRead {
    double seconds = 0;

    bool operator==(const PromptRead&) const = default;
};

/// A token that the model thought likely.
struct TokenChoice {
    int32_t id = 0;
    std::string text;        ///< UTF-8; what is none is spelled as \xNN
    double probability = 0;  ///< of the softmax of the logits, before temperature and cuts

    bool operator==(const TokenChoice&) const = default;
};

/// "token": one more.
struct GeneratedToken {
    TokenChoice choice;
    std::string text;  ///< what it adds; "" where it only starts a character that the next ones end
    std::vector<TokenChoice> likeliest;  ///< most likely first
    double seconds = 0;                  ///< since the prompt was read

    bool operator==(const GeneratedToken&) const = default;
};

/// "end"
struct GenerationEnd {
    std::string reason;  ///< "length" or "end_of_text"
    std::string text;    ///< what is left of a character that was never finished
    int64_t tokens = 0;
    double tokens_per_second = 0;  ///< after the first one, which the prompt gives; 0: unknown

    bool operator==(const GenerationEnd&) const = default;
};

using GenerationEvent = std::variant<GenerationStart, PromptRead, GeneratedToken, GenerationEnd>;

/// One line without its end. Bytes of texts that are no UTF-8 become U+FFFD.
std::string to_line(const GenerationEvent& event);

/// What to_line wrote. UserError for anything else.
GenerationEvent parse_generation_event(std::string_view line);

}  // namespace headroom
