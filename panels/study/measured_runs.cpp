#include "panels/study/measured_runs.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/log/named_series.h"
#include "panels/study/run_pairing.h"

namespace headroom {
namespace {

/// A run's number, or why it has none.
struct Measured {
    std::optional<double> value;
    NoNumber why{};
    std::string text;
    int64_t tokens = 0;  ///< where it is from
};

/// The points of the measure's series that count, up to `at_tokens`.
std::vector<LossCurvePoint> points_of(const Run& run, const Measure& measure,
                                      std::optional<int64_t> at_tokens) {
    const std::string name = measure.kind == Measure::Kind::kSeries ? measure.series : "val/loss";
    const auto series = find_series(*run.series, name);
    std::vector<LossCurvePoint> points;
    if (!series) return points;
    for (const uint32_t row : kept_rows(series->size, series->step).kept)
        if (!at_tokens || series->tokens(row) <= *at_tokens)
            points.push_back({series->tokens(row), series->value(row)});
    return points;
}

double number_of(const std::vector<LossCurvePoint>& points, const Measure& measure) {
    switch (measure.kind) {
        case Measure::Kind::kBest:
            return best_of(points);
        case Measure::Kind::kMeanOfLast: {
            const auto sum =
                std::accumulate(points.end() - measure.last, points.end(), 0.0,
                                [](double s, const LossCurvePoint& p) { return s + p.loss; });
            return sum / measure.last;
        }
        case Measure::Kind::kPerplexity:
            return std::exp(points.back().loss);
        case Measure::Kind::kFinal:
        case Measure::Kind::kSeries:
            break;
    }
    return points.back().loss;
}

/// A run of no step has them where its first weights were evaluated; an imported one may have no
/// training loss.
bool has_rows(const Run& run) {
    return !run.series->train.step.empty() || !run.series->val.step.empty();
}

Measured measure_run(const Run& run, const Measure& measure, std::optional<int64_t> at_tokens) {
    const auto none = [](NoNumber why, std::string text) {
        return Measured{{}, why, std::move(text)};
    };
    if (run.repeats) return none(NoNumber::kRepeatsSeed, fmt::format("repeats seed {}", run.seed));
    if (!run.log_problem.empty())
        return none(NoNumber::kUnreadable, "with a log that cannot be read");
    if (!run.planned && !has_rows(run) && run.series->state == RunState::kFinished)
        return none(NoNumber::kWithout, "without any step or evaluation");
    if (run.planned || !has_rows(run)) return none(NoNumber::kNotBegun, "not begun");
    if (const auto step = diverged_at(run))
        return none(NoNumber::kDiverged, fmt::format("diverged at step {}", *step));
    const int64_t reached = tokens_reached(run);
    if (at_tokens && reached < *at_tokens)
        return none(NoNumber::kEndedEarly, fmt::format("ended at {} tokens", reached));
    if (!at_tokens && run.series->state != RunState::kFinished)
        return none(NoNumber::kNotFinished,
                    fmt::format("not finished ({})", name_of(run.status.phase)));
    const auto points = points_of(run, measure, at_tokens);
    const size_t needed =
        measure.kind == Measure::Kind::kMeanOfLast ? static_cast<size_t>(measure.last) : 1;
    if (points.size() < needed) return none(NoNumber::kWithout, "without " + measure.name());
    const double value = number_of(points, measure);
    if (!std::isfinite(value))
        return none(NoNumber::kWithout, "with a " + measure.name() + " that is no number");
    return {value, {}, "", static_cast<int64_t>(points.back().tokens)};
}

}  // namespace

void MeasuredRuns::erase(size_t index) {
    const auto at = static_cast<std::ptrdiff_t>(index);
    runs.erase(runs.begin() + at);
    values.erase(values.begin() + at);
    tokens.erase(tokens.begin() + at);
}

int64_t tokens_reached(const Run& run) {
    const auto& train = run.series->train.tokens;
    const auto& val = run.series->val.tokens;
    if (run.job && !train.empty()) return train.back();
    return std::max(train.empty() ? 0 : train.back(), val.empty() ? 0 : val.back());
}

bool any_diverged(const std::vector<RunPointer>& runs) {
    return std::any_of(runs.begin(), runs.end(),
                       [](const RunPointer& run) { return diverged_at(*run).has_value(); });
}

MeasuredRuns measure_runs(const std::vector<RunPointer>& runs, const Measure& measure,
                          std::optional<int64_t> at_tokens) {
    MeasuredRuns result;
    result.of_validation = measure.kind != Measure::Kind::kSeries || measure.series == "val/loss";
    for (const RunPointer& run : runs) {
        Measured measured = measure_run(*run, measure, at_tokens);
        if (!measured.value) {
            result.unmeasured.push_back({run, measured.why, std::move(measured.text)});
            continue;
        }
        result.runs.push_back(run);
        result.values.push_back(*measured.value);
        result.tokens.push_back(measured.tokens);
    }
    result.notes = notes_of(result.unmeasured);
    return result;
}

std::vector<std::string> notes_of(const std::vector<UnmeasuredRun>& runs) {
    std::vector<std::pair<std::string, std::vector<std::string>>> texts;  // with their runs
    for (const UnmeasuredRun& each : runs) {
        auto known = std::find_if(texts.begin(), texts.end(),
                                  [&](const auto& text) { return text.first == each.text; });
        if (known == texts.end()) known = texts.insert(texts.end(), {each.text, {}});
        known->second.push_back(each.run->id);
    }
    std::vector<std::string> notes;
    for (const auto& [text, ids] : texts)
        notes.push_back(fmt::format("{} {}", fmt::join(ids, ", "), text));
    return notes;
}

std::vector<double> MeasuredPairs::differences() const {
    std::vector<double> result;
    for (size_t i = 0; i < values.size(); ++i) result.push_back(values[i] - partner_values[i]);
    return result;
}

MeasuredPairs pair_runs(const MeasuredRuns& measured, const MeasuredRuns& others,
                        std::optional<int64_t> at_tokens, std::vector<std::string>& notes,
                        PairBy by) {
    MeasuredPairs pairs;
    for (size_t i = 0; i < measured.runs.size(); ++i) {
        const Run& run = *measured.runs[i];
        const auto partner =
            std::find_if(others.runs.begin(), others.runs.end(),
                         [&](const RunPointer& other) { return other->seed == run.seed; });
        if (partner == others.runs.end()) {
            notes.push_back(fmt::format("{} has no partner of seed {}", run.id, run.seed));
            continue;
        }
        const auto place = static_cast<size_t>(partner - others.runs.begin());
        std::string problem = by == PairBy::kBatches ? pairing_problem(run, **partner, at_tokens)
                                                     : data_problem(run, **partner);
        if (problem.empty() && measured.of_validation) problem = evaluation_problem(run, **partner);
        if (problem.empty() && at_tokens && measured.tokens[i] != others.tokens[place])
            problem = fmt::format("until there they were last evaluated at {} and {} tokens",
                                  measured.tokens[i], others.tokens[place]);
        if (!problem.empty()) {
            notes.push_back(
                fmt::format("{} and {} are no pair: {}", run.id, (*partner)->id, problem));
            continue;
        }
        pairs.runs.push_back(measured.runs[i]);
        pairs.partners.push_back(*partner);
        pairs.values.push_back(measured.values[i]);
        pairs.partner_values.push_back(others.values[place]);
    }
    if (measured.runs.empty()) return pairs;
    for (const RunPointer& other : others.runs)
        if (std::none_of(measured.runs.begin(), measured.runs.end(),
                         [&](const RunPointer& run) { return run->seed == other->seed; }))
            notes.push_back(fmt::format("{} has no partner of seed {}", other->id, other->seed));
    return pairs;
}

}  // namespace headroom
