#include "panels/playground/answer_view.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <fmt/format.h>

#include "panels/base/number_format.h"

namespace headroom {
namespace {

void fail(Answer& answer, std::string problem) {
    answer.phase = AnswerPhase::kFailed;
    answer.problem = std::move(problem);
}

/// True if the event may come now.
bool fits(AnswerPhase phase, const GenerationEvent& event) {
    switch (event.index()) {
        case 0:
            return phase == AnswerPhase::kLoading;
        case 1:
            return phase == AnswerPhase::kReading;
        default:
            return phase == AnswerPhase::kSpeaking;
    }
}

/// Sorts the lines that a command writes on standard error.
void take_messages(Answer& answer, const std::string& errors, std::string& problem) {
    std::istringstream lines(errors);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("note: ")) answer.notes.push_back(line.substr(6));
        if (line.starts_with("error: ")) problem = line.substr(7);
    }
}

/// The token in quotes, so that blanks show; line ends as symbols.
std::string quoted(const std::string& text) {
    std::string shown;
    for (const char c : text) shown += c == '\n' ? "↵" : c == '\t' ? "⇥" : std::string(1, c);
    return "“" + shown + "”";
}

std::string percent(double probability) {
    if (probability > 0 && probability < 0.001) return "< 0.1 %";
    return format_percent(probability);
}

std::string rate_text(const Answer& answer) {
    const double rate = speaking_rate(answer);
    if (rate <= 0) return "";
    const std::string number = rate < 9.95
                                   ? fmt::format("{:.1f}", rate)
                                   : format_integer(static_cast<int64_t>(std::lround(rate)));
    return fmt::format(" · {} tokens/s{}", number, answer.shared ? ", sharing the processor" : "");
}

}  // namespace

void take_event(Answer& answer, const GenerationEvent& event) {
    if (!answer.is_busy()) return;
    if (!fits(answer.phase, event))
        return fail(answer, "the worker spoke out of turn; is headroom of another version?");
    if (const auto* start = std::get_if<GenerationStart>(&event)) {
        answer.start = *start;
        answer.phase = AnswerPhase::kReading;
    } else if (const auto* prompt = std::get_if<PromptRead>(&event)) {
        answer.prompt_seconds = prompt->seconds;
        answer.phase = AnswerPhase::kSpeaking;
    } else if (const auto* token = std::get_if<GeneratedToken>(&event)) {
        answer.tokens.push_back(*token);
    } else {
        answer.end = std::get<GenerationEnd>(event);
        answer.phase = AnswerPhase::kDone;
    }
}

void take_end(Answer& answer, const WorkerEnd& end, bool asked) {
    std::string problem;
    take_messages(answer, end.errors, problem);
    if (!answer.is_busy()) return;
    if (asked) {
        answer.phase = AnswerPhase::kStopped;
        return;
    }
    if (end.crashed)
        problem =
            fmt::format("the worker was ended by signal {}; only this answer is lost", end.status);
    if (problem.empty()) problem = fmt::format("the worker ended early with status {}", end.status);
    fail(answer, std::move(problem));
}

double speaking_rate(const Answer& answer) {
    if (answer.phase == AnswerPhase::kDone && answer.end.tokens_per_second > 0)
        return answer.end.tokens_per_second;
    if (answer.tokens.size() < 2) return 0;
    const double seconds = answer.tokens.back().seconds;
    return seconds > 0 ? static_cast<double>(answer.tokens.size() - 1) / seconds : 0;
}

int64_t filled_cache_bytes(const Answer& answer) {
    if (answer.prompt_seconds <= 0) return 0;
    // The last token is said, but not read yet.
    const int64_t said = std::max<int64_t>(std::ssize(answer.tokens) - 1, 0);
    return (answer.start.prompt_tokens + said) * answer.start.cache_bytes_per_token;
}

std::string progress_line(const Answer& answer) {
    const std::string tokens = format_integer(std::ssize(answer.tokens));
    switch (answer.phase) {
        case AnswerPhase::kNone:
            return "";
        case AnswerPhase::kWaiting:
            return "waits for its turn";
        case AnswerPhase::kLoading:
            return "reading the checkpoint …";
        case AnswerPhase::kReading:
            return fmt::format("reading the prompt of {} tokens …",
                               format_integer(answer.start.prompt_tokens));
        case AnswerPhase::kSpeaking:
            return fmt::format("generating, {} of {} tokens{}", tokens,
                               format_integer(answer.start.max_new), rate_text(answer));
        case AnswerPhase::kDone:
            return fmt::format("{} tokens{}{}", tokens,
                               answer.end.reason == "end_of_text" ? ", ended by itself" : "",
                               rate_text(answer));
        case AnswerPhase::kStopped:
            return fmt::format("stopped after {} token{}{}", tokens,
                               answer.tokens.size() == 1 ? "" : "s", rate_text(answer));
        case AnswerPhase::kFailed:
            break;
    }
    return answer.problem;
}

std::string cache_line(const Answer& answer) {
    const GenerationStart& start = answer.start;
    if (start.prompt_tokens == 0) return "";
    std::string line =
        fmt::format("cache {} of {}, {} B per token in {}",
                    format_bytes(filled_cache_bytes(answer)), format_bytes(start.cache_bytes),
                    format_integer(start.cache_bytes_per_token), start.precision);
    if (answer.prompt_seconds > 0)
        line += fmt::format(" · prompt of {} tokens in {}", format_integer(start.prompt_tokens),
                            answer.prompt_seconds < 1
                                ? fmt::format("{:.3g} ms", 1e3 * answer.prompt_seconds)
                                : format_duration(answer.prompt_seconds));
    return line;
}

std::string token_line(const Answer& answer, size_t index) {
    const GeneratedToken& token = answer.tokens.at(index);
    std::string line =
        fmt::format("token {} {} {}", format_integer(static_cast<int64_t>(index) + 1),
                    quoted(token.choice.text), percent(token.choice.probability));
    std::string others;
    for (const TokenChoice& other : token.likeliest) {
        if (other.id == token.choice.id) continue;
        others += fmt::format("{}{} {}", others.empty() ? " · instead " : ", ", quoted(other.text),
                              percent(other.probability));
    }
    return line + others;
}

double surprise(double probability) {
    constexpr double kMostBits = 8;
    if (!(probability > 0)) return 1;
    return std::clamp(-std::log2(probability) / kMostBits, 0.0, 1.0);
}

size_t common_tokens(const Answer& a, const Answer& b) {
    const auto same = [](const GeneratedToken& x, const GeneratedToken& y) {
        return x.choice.id == y.choice.id;
    };
    const auto [at, ignored] =
        std::mismatch(a.tokens.begin(), a.tokens.end(), b.tokens.begin(), b.tokens.end(), same);
    return static_cast<size_t>(at - a.tokens.begin());
}

std::string likeness_line(const Answer& answer, const Answer& first,
                          const std::string& first_name) {
    const size_t common = common_tokens(answer, first);
    const bool both_done = answer.phase == AnswerPhase::kDone && first.phase == AnswerPhase::kDone;
    const bool differ = common < std::min(answer.tokens.size(), first.tokens.size());
    if (differ && common == 0) return "another first token than " + first_name;
    if (differ)
        return fmt::format("as {} for {} token{}", first_name, common, common == 1 ? "" : "s");
    return both_done && common > 0 ? "word for word as " + first_name : "";
}

}  // namespace headroom
