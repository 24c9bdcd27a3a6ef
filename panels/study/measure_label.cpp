#include "panels/study/measure_label.h"

#include <fmt/format.h>

namespace headroom {

std::string axis_label(const Measure& measure) {
    switch (measure.kind) {
        case Measure::Kind::kFinal:
            return "validation loss at the end (nats)";
        case Measure::Kind::kBest:
            return "best validation loss (nats)";
        case Measure::Kind::kMeanOfLast:
            return fmt::format("validation loss, mean of the last {} (nats)", measure.last);
        case Measure::Kind::kPerplexity:
            return "validation perplexity";
        case Measure::Kind::kSeries:
            break;
    }
    return measure.series;
}

}  // namespace headroom
