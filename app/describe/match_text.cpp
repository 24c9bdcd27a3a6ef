#include "app/describe/match_text.h"

#include <fmt/format.h>

#include "core/base/digits.h"

namespace headroom {
namespace {

/// "--set model.d_ff=3456", quoted where a shell would take the value apart.
std::string set_line(const MatchPoint& point) {
    std::string line;
    for (const auto& [key, value] : point.settings) {
        const bool plain = value.find_first_of("{}[]\", ") == std::string::npos;
        const char* quote = plain ? "" : "'";
        line += fmt::format("{}--set {}{}={}{}", line.empty() ? "" : " ", quote, key, value, quote);
    }
    return line;
}

void print_point(std::string_view key, const MatchPoint& point, MatchMeasure measure) {
    const CountPair& count = point.count(measure);
    const std::string difference = count.difference() == 0 ? "equal" : change_text(count);
    fmt::print("{:<9} {:>8} {:>19} {:>28}  {}\n", key, point.value, grouped_digits(count.model),
               difference, set_line(point));
}

void print_attempt(const MatchAttempt& attempt, MatchMeasure measure) {
    const std::string_view key = name_of(attempt.key);
    if (!attempt.refused.empty()) fmt::print("{:<9} {:>8} {}\n", key, "-", attempt.refused);
    for (const auto* point : {&attempt.exact, &attempt.below, &attempt.above})
        if (*point) print_point(key, **point, measure);
}

}  // namespace

void print_match(const std::string& model, const std::string& baseline, const MatchResult& result) {
    fmt::print("{} matched to {} by {}; now {} against {}, {}\n\n", model, baseline,
               text_of(result.measure), grouped_digits(result.start.model),
               grouped_digits(result.start.baseline), change_text(result.start));
    fmt::print("{:<9} {:>8} {:>19} {:>28}\n", "vary", "value",
               result.measure == MatchMeasure::kParams ? "parameters" : name_of(result.measure),
               "difference");
    for (const MatchAttempt& attempt : result.attempts) print_attempt(attempt, result.measure);
    fmt::print("\n{}\n", result.sentence);
    if (const MatchPoint* best = result.best_point()) fmt::print("{}\n", set_line(*best));
}

}  // namespace headroom
