#include "app/generate/text_generation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include <fmt/format.h>

#include "app/token_text.h"
#include "core/account/kv_cache.h"
#include "core/base/error.h"
#include "core/decode/check_logits.h"
#include "datasets/text/utf8_stream.h"

namespace headroom {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Names tokens and tells how likely the model held them.
class Narrator {
  public:
    Narrator(const TextGeneration& asked, std::span<const double> logits)
        : asked_(asked), logits_(logits) {
        most_ = *std::max_element(logits.begin(), logits.end());
        for (const double logit : logits) total_ += std::exp(logit - most_);
    }

    TokenChoice choice(int32_t id) const {
        return {id, token_text(asked_.tokenizer, id),
                std::exp(logits_[static_cast<size_t>(id)] - most_) / total_};
    }

    std::vector<TokenChoice> likeliest() const {
        std::vector<int32_t> ids;
        for (size_t id = 0; id < logits_.size(); ++id)
            if (std::isfinite(logits_[id])) ids.push_back(static_cast<int32_t>(id));
        const size_t count = std::min(asked_.likeliest, ids.size());
        std::partial_sort(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(count), ids.end(),
                          [&](int32_t a, int32_t b) {
                              const double x = logits_[static_cast<size_t>(a)];
                              const double y = logits_[static_cast<size_t>(b)];
                              return x > y || (x == y && a < b);
                          });
        std::vector<TokenChoice> choices;
        for (size_t i = 0; i < count; ++i) choices.push_back(choice(ids[i]));
        return choices;
    }

  private:
    const TextGeneration& asked_;
    std::span<const double> logits_;
    double most_ = 0, total_ = 0;
};

GenerationStart start_event(const DecodingSession& session, const TextGeneration& asked) {
    return {static_cast<int64_t>(asked.prompt.size()), asked.max_new, session.cache_bytes(),
            count_cache(session.model()).bytes_per_token(session.precision()),
            std::string(name_of(session.precision()))};
}

/// Of every id. Rows that only round up the vocabulary, or lie in a gap of it, stand for no token.
std::vector<double> token_logits(const DecodingSession& session, const Tokenizer& tokenizer) {
    std::vector<double> logits = session.logits();
    check_logits(logits);
    for (size_t id = 0; id < logits.size(); ++id)
        if (!tokenizer.knows(static_cast<int32_t>(id)))
            logits[id] = -std::numeric_limits<double>::infinity();
    return logits;
}

}  // namespace

GeneratedText generate_text(DecodingSession& session, const TextGeneration& asked,
                            const std::function<void(const GenerationEvent&)>& tell) {
    tell(start_event(session, asked));
    GeneratedText made;
    const auto start = Clock::now();
    session.prefill(asked.prompt);
    made.prefill_seconds = seconds_since(start);
    tell(PromptRead{made.prefill_seconds});
    const auto ready = Clock::now();
    Utf8Stream characters;
    const char* reason = "length";
    for (int64_t n = 0; n < asked.max_new; ++n) {
        if (n > 0) session.step({&made.tokens.back(), 1});
        const std::vector<double> logits = token_logits(session, asked.tokenizer);
        const int32_t token = sample_token(logits, asked.sampling, 0, static_cast<uint32_t>(n));
        if (token == end_of_text(asked.tokenizer)) {
            reason = "end_of_text";
            break;
        }
        made.tokens.push_back(token);
        const Narrator narrator(asked, logits);
        tell(GeneratedToken{narrator.choice(token),
                            characters.take(asked.tokenizer.decode({&token, 1})),
                            narrator.likeliest(), seconds_since(ready)});
    }
    const auto later = static_cast<double>(made.tokens.size()) - 1;
    if (later > 0) made.tokens_per_second = later / seconds_since(ready);
    tell(GenerationEnd{reason, characters.rest(), static_cast<int64_t>(made.tokens.size()),
                       made.tokens_per_second});
    return made;
}

}  // namespace headroom
