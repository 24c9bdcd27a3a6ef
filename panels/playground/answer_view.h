#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/decode/generation_event.h"
#include "panels/base/worker_end.h"

namespace headroom {

enum class AnswerPhase {
    kNone,      ///< nothing was asked yet
    kWaiting,   ///< for its turn
    kLoading,   ///< the worker starts and reads the checkpoint
    kReading,   ///< the prompt
    kSpeaking,  ///< tokens come
    kDone,
    kStopped,  ///< by the person; what was said stays
    kFailed,
};

/// What one model says to a prompt, so far. Plain data that grows with the worker's events.
struct Answer {
    AnswerPhase phase = AnswerPhase::kNone;
    GenerationStart start;      ///< from kReading on
    double prompt_seconds = 0;  ///< that reading it took; 0 before
    std::vector<GeneratedToken> tokens;
    GenerationEnd end;    ///< in kDone
    bool shared = false;  ///< other models spoke at the same time
    std::string problem;  ///< one line, in kFailed
    std::vector<std::string> notes;

    bool is_busy() const {
        return phase >= AnswerPhase::kWaiting && phase <= AnswerPhase::kSpeaking;
    }
};

/// Takes in the worker's next event. One that does not fit the phase makes the answer fail.
void take_event(Answer& answer, const GenerationEvent& event);

/// The worker is gone: an answer that is not done has failed, or was stopped if `asked`.
void take_end(Answer& answer, const WorkerEnd& end, bool asked);

/// Tokens per second after the first one, by the worker's clock; 0 while that says nothing.
double speaking_rate(const Answer& answer);

/// Bytes of the cache that hold something.
int64_t filled_cache_bytes(const Answer& answer);

/// "generating, 57 of 200 tokens · 412 tokens/s"; what went wrong in kFailed.
std::string progress_line(const Answer& answer);

/// "cache 14.6 of 208 KiB, 3,328 B per token in float32 · prompt of 4 tokens in 3 ms"; "" before.
std::string cache_line(const Answer& answer);

/// "token 12 “the” 34 % · instead “a” 12 %, “an” 3 %". REQUIRES: index < answer.tokens.size().
std::string token_line(const Answer& answer, size_t index);

/// 0 for a token that the model was sure of, 1 for one of at most 1 in 256.
double surprise(double probability);

/// How many tokens two answers begin with alike.
size_t common_tokens(const Answer& a, const Answer& b);

/// "as SkipV1Former for 12 tokens", "word for word as SkipV1Former"; "" while there is nothing to
/// say.
std::string likeness_line(const Answer& answer, const Answer& first, const std::string& first_name);

}  // namespace headroom
