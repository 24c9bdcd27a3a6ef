#include "panels/study/study_comparison.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "panels/study/job_difference.h"
#include "panels/study/named_run.h"
#include "panels/study/run_pairing.h"
#include "panels/study/runs_by_group.h"

namespace headroom {
namespace {

using Runs = std::vector<RunPointer>;

struct MeasuredGroup : MeasuredRuns {
    std::string name;
    int color = 0;
};

MeasuredGroup measure_group(const std::string& name, const Runs& runs,
                            const ComparisonSettings& settings) {
    return {measure_runs(runs, settings.measure, settings.at_tokens), name, runs.front()->color};
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
void save_tokens(const MeasuredPairs& pairs, std::optional<int64_t> at_tokens,
                 GroupComparison& result) {
    std::vector<std::vector<LossCurvePoint>> curves, partners;
    std::vector<double> saved;
    bool any_bound = false;
    for (size_t i = 0; i < pairs.runs.size(); ++i) {
        curves.push_back(curve_up_to(*pairs.runs[i], at_tokens));
        partners.push_back(curve_up_to(*pairs.partners[i], at_tokens));
        if (partners.back().empty()) return;
        const LossCurvePoint& end = partners.back().back();
        if (const auto one = tokens_saved(curves.back(), end.loss, end.tokens))
            saved.push_back(*one);
        any_bound |= is_reached_before_measured(curves.back(), end.loss);
    }
    const std::vector<LossCurvePoint> baseline = mean_of(partners);
    if (baseline.empty()) return;
    const std::vector<LossCurvePoint> mean = mean_of(curves);
    const LossCurvePoint& end = baseline.back();
    result.tokens_saved = tokens_saved(mean, end.loss, end.tokens);
    if (!result.tokens_saved) return;
    result.tokens_saved_at_least = is_reached_before_measured(mean, end.loss);
    if (any_bound || result.tokens_saved_at_least)
        result.notes.push_back(
            "it is below the baseline's loss by its first evaluation: how many "
            "more tokens are saved was not measured");
    else if (saved.size() == pairs.runs.size())
        result.tokens_saved_interval = t_interval(saved);
    else
        result.notes.push_back(
            "not every pair reaches the baseline's loss: no interval of tokens "
            "saved");
}

/// What differs besides the variant, where it was built on another base; "" where it was not.
std::string base_note(const Runs& runs, const Runs& baseline) {
    if (!runs.front()->job || !baseline.front()->job) return "";
    const std::string &own = runs.front()->job->model.base,
                      &other = baseline.front()->job->model.base;
    if (own == other) return "";
    return fmt::format("{} is built on {}, {} on {}: {}", runs.front()->group, own,
                       baseline.front()->group, other, kOtherBaseDiffers);
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
    const MeasuredPairs pairs = pair_runs(group, baseline, settings.at_tokens, result.notes);
    const std::vector<double> differences = pairs.differences();
    if (differences.empty()) return result;
    result.moments = moments_of(pairs.values);
    result.difference = paired_difference(differences);
    result.seeds_needed = seeds_needed(differences);
    if (settings.measure.is_of_validation_loss()) save_tokens(pairs, settings.at_tokens, result);
    if (differences.size() < 3)
        result.notes.push_back(fmt::format("{} pair{}: too few to tell", differences.size(),
                                           differences.size() == 1 ? " has no interval" : "s"));
    return result;
}

/// Leaves out runs, with a word for each.
template <class ProblemOf>
void leave_out(MeasuredGroup& group, ProblemOf problem_of, std::vector<std::string>& notes) {
    const MeasuredGroup all = group;
    group.runs.clear();
    group.values.clear();
    group.tokens.clear();
    for (size_t i = 0; i < all.runs.size(); ++i) {
        if (std::string problem = problem_of(*all.runs[i]); !problem.empty()) {
            notes.push_back(std::move(problem));
            continue;
        }
        group.runs.push_back(all.runs[i]);
        group.values.push_back(all.values[i]);
        group.tokens.push_back(all.tokens[i]);
    }
}

std::string why_no_question(const Run& run, const Run& other) {
    return fmt::format("{} and {} are not compared: their validation data were not the same",
                       run.id, other.id);
}

/// Means over seeds are of one question where all were evaluated on the same tokens: of the
/// baseline those stay that agree with the most others. Where none agree, as of random data, whose
/// evaluations differ by seed, all do.
void leave_out_odd_evaluations(MeasuredGroup& baseline) {
    if (!baseline.of_validation) return;
    RunPointer first;
    std::ptrdiff_t most = 1;
    for (const RunPointer& run : baseline.runs) {
        const auto alike = std::count_if(
            baseline.runs.begin(), baseline.runs.end(),
            [&](const RunPointer& other) { return !have_other_validation_data(*run, *other); });
        if (alike <= most) continue;
        first = run;
        most = alike;
    }
    if (!first) return;
    const auto problem_of = [&](const Run& run) {
        return have_other_validation_data(run, *first) ? why_no_question(run, *first) : "";
    };
    leave_out(baseline, problem_of, baseline.notes);
}

/// A run stays where it was evaluated as one of the baseline's was.
void leave_out_other_evaluations(MeasuredGroup& group, const MeasuredGroup& baseline,
                                 std::vector<std::string>& notes) {
    if (!group.of_validation) return;
    const auto problem_of = [&](const Run& run) {
        for (const RunPointer& other : baseline.runs)
            if (!have_other_validation_data(run, *other)) return std::string();
        return why_no_question(run, *baseline.runs.front());
    };
    leave_out(group, problem_of, notes);
}

GroupComparison compare_welch(MeasuredGroup group, const MeasuredGroup& baseline,
                              std::optional<int64_t> at_tokens) {
    GroupComparison result = unmeasured(group);
    leave_out_other_evaluations(group, baseline, result.notes);
    if (group.runs.empty()) return result;
    std::vector<int64_t> places = group.tokens;
    places.insert(places.end(), baseline.tokens.begin(), baseline.tokens.end());
    if (at_tokens && !std::equal(places.begin() + 1, places.end(), places.begin()))
        result.notes.push_back("not all of these runs were evaluated after equal tokens");
    result.moments = moments_of(group.values);
    result.difference = welch_difference(group.values, baseline.values);
    return result;
}

void correct(std::vector<GroupComparison>& groups) {
    std::vector<std::optional<double>> p;
    for (const GroupComparison& group : groups) p.push_back(group.difference.p);
    const std::vector<std::optional<double>> corrected = holm(p);
    for (size_t i = 0; i < groups.size(); ++i) groups[i].p_holm = corrected[i];
}

std::string hint_without_number(const Runs& baseline, const ComparisonSettings& settings) {
    if (any_diverged(baseline)) return "choose a baseline that did not diverge";
    int64_t reached = 0;
    for (const RunPointer& run : baseline) reached = std::max(reached, tokens_reached(*run));
    if (settings.at_tokens && reached < *settings.at_tokens)
        return fmt::format("compare earlier, with an --at of at most {}", reached);
    if (settings.at_tokens) return "compare later, with a greater --at";
    if (settings.measure.kind == Measure::Kind::kMeanOfLast)
        return "take the mean of fewer evaluations, or train it to its end";
    return "train it to its end, or compare earlier with --at";
}

}  // namespace

StudyComparison compare_study(const Runs& runs, const ComparisonSettings& settings) {
    return compare_with_group(runs, find_baseline_group(runs, settings.baseline), settings);
}

StudyComparison compare_with_group(const Runs& runs, const std::string& baseline_group,
                                   const ComparisonSettings& settings) {
    const auto groups = groups_of(runs);
    const auto members = std::find_if(groups.begin(), groups.end(),
                                      [&](const auto& g) { return g.name == baseline_group; });
    CHECK(members != groups.end(), "no run of the group " + baseline_group);
    MeasuredGroup baseline = measure_group(baseline_group, members->runs, settings);
    if (settings.welch) leave_out_odd_evaluations(baseline);
    if (baseline.runs.empty())
        throw UserError(fmt::format("the baseline {} cannot be measured: {}", baseline_group,
                                    baseline.notes.empty() ? "it has no run" : baseline.notes[0]),
                        hint_without_number(members->runs, settings));
    StudyComparison result{.baseline = baseline_group,
                           .measure = settings.measure,
                           .measured_at = {},
                           .paired = !settings.welch,
                           .baseline_moments = moments_of(baseline.values),
                           .baseline_notes = baseline.notes,
                           .groups = {}};
    if (settings.at_tokens) {
        result.measured_at = {*settings.at_tokens};
        result.measured_at->include(baseline);
    }
    for (const auto& [name, group_runs] : groups) {
        if (name == baseline_group) continue;
        const MeasuredGroup group = measure_group(name, group_runs, settings);
        if (result.measured_at) result.measured_at->include(group);
        result.groups.push_back(settings.welch ? compare_welch(group, baseline, settings.at_tokens)
                                               : compare_paired(group, baseline, settings));
        if (std::string note = base_note(group_runs, members->runs); !note.empty())
            result.groups.back().notes.push_back(std::move(note));
    }
    correct(result.groups);
    return result;
}

}  // namespace headroom
