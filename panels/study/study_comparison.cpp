#include "panels/study/study_comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/log/named_series.h"
#include "panels/study/run_pairing.h"

namespace headroom {
namespace {

using Runs = std::vector<RunPointer>;

/// A run's number, or why it has none.
struct Measured {
    std::optional<double> value;
    std::string problem;
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
        case Measure::Kind::kFinal:
        case Measure::Kind::kSeries:
            break;
    }
    return points.back().loss;
}

Measured measure_run(const Run& run, const ComparisonSettings& settings) {
    if (run.planned || run.series->train.step.empty()) return {{}, "has not begun"};
    const int64_t reached = run.series->train.tokens.back();
    if (settings.at_tokens && reached < *settings.at_tokens)
        return {{}, fmt::format("ended at {} tokens", reached)};
    if (!settings.at_tokens && run.series->state != RunState::kFinished)
        return {{}, fmt::format("is not finished ({})", name_of(run.status.phase))};
    const auto points = points_of(run, settings.measure, settings.at_tokens);
    const size_t needed = settings.measure.kind == Measure::Kind::kMeanOfLast
                              ? static_cast<size_t>(settings.measure.last)
                              : 1;
    if (points.size() < needed) return {{}, "has no " + settings.measure.name()};
    const double value = number_of(points, settings.measure);
    if (!std::isfinite(value))
        return {{}, "has a " + settings.measure.name() + " that is no number"};
    return {value, ""};
}

/// Runs of one group with their numbers; repeated seeds and runs without a number are noted.
struct MeasuredGroup {
    std::string name;
    int color = 0;
    std::vector<std::pair<RunPointer, double>> runs;
    std::vector<std::string> notes;
};

MeasuredGroup measure_group(const std::string& name, const Runs& runs,
                            const ComparisonSettings& settings) {
    MeasuredGroup group{name, runs.front()->color, {}, {}};
    for (const RunPointer& run : runs) {
        if (run->repeats) {
            group.notes.push_back(fmt::format("{} repeats seed {}", run->id, run->seed));
            continue;
        }
        const Measured measured = measure_run(*run, settings);
        if (measured.value)
            group.runs.emplace_back(run, *measured.value);
        else
            group.notes.push_back(run->id + " " + measured.problem);
    }
    return group;
}

std::vector<std::pair<std::string, Runs>> groups_of(const Runs& runs) {
    std::vector<std::pair<std::string, Runs>> groups;
    for (const RunPointer& run : runs) {
        const auto known = std::find_if(groups.begin(), groups.end(),
                                        [&](const auto& g) { return g.first == run->group; });
        if (known == groups.end())
            groups.push_back({run->group, {run}});
        else
            known->second.push_back(run);
    }
    return groups;
}

std::vector<double> values_of(const MeasuredGroup& group) {
    std::vector<double> values;
    for (const auto& [run, value] : group.runs) values.push_back(value);
    return values;
}

/// The runs of `group` and the baseline that are pairs, in the order of the group.
struct Pairs {
    Runs runs, partners;
    std::vector<double> values, differences;
};

Pairs pair_up(const MeasuredGroup& group, const MeasuredGroup& baseline,
              std::optional<int64_t> at_tokens, std::vector<std::string>& notes) {
    Pairs pairs;
    for (const auto& [run, value] : group.runs) {
        const auto partner =
            std::find_if(baseline.runs.begin(), baseline.runs.end(),
                         [&](const auto& other) { return other.first->seed == run->seed; });
        if (partner == baseline.runs.end()) {
            notes.push_back(fmt::format("{} has no partner of seed {}", run->id, run->seed));
            continue;
        }
        const std::string problem = pairing_problem(*run, *partner->first, at_tokens);
        if (!problem.empty()) {
            notes.push_back(
                fmt::format("{} and {} are no pair: {}", run->id, partner->first->id, problem));
            continue;
        }
        pairs.runs.push_back(run);
        pairs.partners.push_back(partner->first);
        pairs.values.push_back(value);
        pairs.differences.push_back(value - partner->second);
    }
    return pairs;
}

/// Up to `at_tokens`, as far as the runs are compared.
std::vector<LossCurvePoint> curve_up_to(const Run& run, std::optional<int64_t> at_tokens) {
    std::vector<LossCurvePoint> curve = validation_curve(run);
    if (at_tokens)
        std::erase_if(curve,
                      [&](const LossCurvePoint& point) { return point.tokens > *at_tokens; });
    return curve;
}

/// At equal validation loss, of the means over the seeds; the interval is over the pairs.
void save_tokens(const Pairs& pairs, std::optional<int64_t> at_tokens, GroupComparison& result) {
    std::vector<std::vector<LossCurvePoint>> curves, partners;
    std::vector<double> saved;
    for (size_t i = 0; i < pairs.runs.size(); ++i) {
        curves.push_back(curve_up_to(*pairs.runs[i], at_tokens));
        partners.push_back(curve_up_to(*pairs.partners[i], at_tokens));
        if (partners.back().empty()) return;
        const LossCurvePoint& end = partners.back().back();
        if (const auto one = tokens_saved(curves.back(), end.loss, end.tokens))
            saved.push_back(*one);
    }
    const std::vector<LossCurvePoint> baseline = mean_of(partners);
    if (baseline.empty()) return;
    result.tokens_saved =
        tokens_saved(mean_of(curves), baseline.back().loss, baseline.back().tokens);
    if (result.tokens_saved && saved.size() == pairs.runs.size())
        result.tokens_saved_interval = t_interval(saved);
    else if (result.tokens_saved)
        result.notes.push_back(
            "not every pair reaches the baseline's loss: no interval of tokens "
            "saved");
}

GroupComparison unmeasured(const MeasuredGroup& group) {
    GroupComparison result;
    result.name = group.name;
    result.color = group.color;
    result.notes = group.notes;
    return result;
}

GroupComparison compare_paired(const MeasuredGroup& group, const MeasuredGroup& baseline,
                               const ComparisonSettings& settings) {
    GroupComparison result = unmeasured(group);
    const Pairs pairs = pair_up(group, baseline, settings.at_tokens, result.notes);
    if (pairs.differences.empty()) return result;
    result.moments = moments_of(pairs.values);
    result.difference = paired_difference(pairs.differences);
    result.seeds_needed = seeds_needed(pairs.differences);
    save_tokens(pairs, settings.at_tokens, result);
    if (pairs.differences.size() < 3)
        result.notes.push_back(
            fmt::format("{} pair{}: too few to tell", pairs.differences.size(),
                        pairs.differences.size() == 1 ? " has no interval" : "s"));
    return result;
}

GroupComparison compare_welch(const MeasuredGroup& group, const MeasuredGroup& baseline) {
    GroupComparison result = unmeasured(group);
    if (group.runs.empty()) return result;
    result.moments = moments_of(values_of(group));
    result.difference = welch_difference(values_of(group), values_of(baseline));
    return result;
}

const RunPointer& find_baseline(const Runs& runs, const std::string& word) {
    std::vector<std::string> names;
    for (const RunPointer& run : runs) {
        if (run->id == word || run->name == word || run->group == word) return run;
        names.push_back(run->group);
        names.push_back(run->id);
    }
    throw UserError(
        fmt::format("the baseline {} is not among the runs{}", word, suggestion(word, names)));
}

void correct(std::vector<GroupComparison>& groups) {
    std::vector<std::optional<double>> p;
    for (const GroupComparison& group : groups) p.push_back(group.difference.p);
    const std::vector<std::optional<double>> corrected = holm(p);
    for (size_t i = 0; i < groups.size(); ++i) groups[i].p_holm = corrected[i];
}

}  // namespace

Measure Measure::parse(const std::string& text) {
    if (text == "final") return {};
    if (text == "best") return {Kind::kBest, 1, ""};
    if (text.starts_with("last-")) {
        const std::string number = text.substr(5);
        const bool digits = !number.empty() && number.size() < 6 &&
                            number.find_first_not_of("0123456789") == std::string::npos;
        if (const int last = digits ? std::stoi(number) : 0; last > 0)
            return {Kind::kMeanOfLast, last, ""};
    } else if (text.find('/') != std::string::npos) {
        return {Kind::kSeries, 1, text};
    }
    throw UserError(fmt::format("the measure {} is not known", text),
                    "give final, best, last-5 or a series of the log such as train/grad_norm");
}

std::string Measure::name() const {
    switch (kind) {
        case Kind::kFinal:
            return "final";
        case Kind::kBest:
            return "best";
        case Kind::kMeanOfLast:
            return fmt::format("last-{}", last);
        case Kind::kSeries:
            break;
    }
    return series;
}

StudyComparison compare_study(const Runs& runs, const ComparisonSettings& settings) {
    const std::string baseline_group = find_baseline(runs, settings.baseline)->group;
    const auto groups = groups_of(runs);
    const auto members = std::find_if(groups.begin(), groups.end(),
                                      [&](const auto& g) { return g.first == baseline_group; });
    const MeasuredGroup baseline = measure_group(baseline_group, members->second, settings);
    if (baseline.runs.empty())
        throw UserError(fmt::format("the baseline {} cannot be measured: {}", baseline_group,
                                    baseline.notes.empty() ? "it has no run" : baseline.notes[0]),
                        "train it to its end, or compare earlier with --at");
    StudyComparison result{.baseline = baseline_group,
                           .measure = settings.measure,
                           .paired = !settings.welch,
                           .baseline_moments = moments_of(values_of(baseline)),
                           .baseline_notes = baseline.notes,
                           .groups = {}};
    for (const auto& [name, group_runs] : groups) {
        if (name == baseline_group) continue;
        const MeasuredGroup group = measure_group(name, group_runs, settings);
        result.groups.push_back(settings.welch ? compare_welch(group, baseline)
                                               : compare_paired(group, baseline, settings));
    }
    correct(result.groups);
    return result;
}

}  // namespace headroom
