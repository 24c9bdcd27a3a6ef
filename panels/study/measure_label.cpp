#include "panels/study/measure_label.h"

#include <algorithm>

#include <fmt/format.h>

namespace headroom {

void MeasuredAt::include(const MeasuredRuns& measured) {
    for (const int64_t tokens : measured.tokens) {
        earliest = std::min(earliest, tokens);
        latest = std::max(latest, tokens);
    }
}

/// Where the number is from, where that is not where it was asked for.
static std::string place_text(const MeasuredAt& at) {
    std::string text = fmt::format(" after {} tokens", at.asked);
    if (at.earliest == at.asked && at.latest == at.asked) return text;
    if (at.earliest == at.latest) return text + fmt::format(", evaluated at {}", at.latest);
    return text + fmt::format(", evaluated at {} to {}", at.earliest, at.latest);
}

std::string axis_label(const Measure& measure, const std::optional<MeasuredAt>& at) {
    const std::string after = at ? place_text(*at) : "";
    const std::string until = at ? fmt::format(" until {} tokens", at->asked) : "";
    switch (measure.kind) {
        case Measure::Kind::kFinal:
            return fmt::format("validation loss{} (nats)", at ? after : " at the end");
        case Measure::Kind::kBest:
            return fmt::format("best validation loss{} (nats)", until);
        case Measure::Kind::kMeanOfLast:
            return fmt::format("validation loss, mean of the last {}{} (nats)", measure.last,
                               until);
        case Measure::Kind::kPerplexity:
            return "validation perplexity" + after;
        case Measure::Kind::kSeries:
            break;
    }
    return measure.series + after;
}

}  // namespace headroom
