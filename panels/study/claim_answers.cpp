#include "panels/study/claim_answers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/digits.h"
#include "core/stats/distributions.h"
#include "panels/study/measure_label.h"
#include "panels/study/measured_runs.h"
#include "panels/study/run_facts.h"

namespace headroom {
namespace {

using Numbers = std::vector<double>;

Numbers shifted(Numbers values, double by) {
    for (double& value : values) value -= by;
    return values;
}

double mean_of(const Numbers& values) {
    return moments_of(values).mean;
}

/// The bound of the step that its mean is nearest to.
double nearest_edge(const ClaimStep& step, double mean) {
    if (step.relation != ClaimRelation::kEqual) return step.bound;
    return mean < step.bound ? step.bound - step.within : step.bound + step.within;
}

/// Of numbers that follow from the job alone: there is nothing to test.
Verdict compare_exactly(const ClaimStep& step, double value) {
    const bool held = step.relation == ClaimRelation::kLess ? value < step.bound
                      : step.relation == ClaimRelation::kGreater
                          ? value > step.bound
                          : std::abs(value - step.bound) <= step.within;
    return held ? Verdict::kHeld : Verdict::kDidNotHold;
}

Verdict judge(const ClaimStep& step, const Interval& interval) {
    const double edge = step.bound, low = edge - step.within, high = edge + step.within;
    bool held = false, refuted = false;
    switch (step.relation) {
        case ClaimRelation::kLess:
            held = interval.high < edge;
            refuted = interval.low > edge;
            break;
        case ClaimRelation::kGreater:
            held = interval.low > edge;
            refuted = interval.high < edge;
            break;
        case ClaimRelation::kEqual:
            held = low <= interval.low && interval.high <= high;
            refuted = interval.high < low || interval.low > high;
            break;
    }
    return held ? Verdict::kHeld : refuted ? Verdict::kDidNotHold : Verdict::kNotDecided;
}

std::vector<RunPointer> runs_of(const std::string& variant, const Study& plan,
                                const StudySnapshot& study) {
    std::vector<RunPointer> runs;
    for (const StudyRun& planned : plan.runs)
        if (planned.variant == variant)
            if (RunPointer run = study.find(planned.id)) runs.push_back(std::move(run));
    return runs;
}

/// A study may have been changed while its runs were trained. What differs in more than the seed is
/// no sample of one variant, and everywhere else a variant of its own.
void tell_different_jobs(const std::string& variant, const std::vector<RunPointer>& runs,
                         std::vector<std::string>& notes) {
    std::vector<std::string> groups;
    for (const RunPointer& run : runs)
        if (std::find(groups.begin(), groups.end(), run->group) == groups.end())
            groups.push_back(run->group);
    if (groups.size() > 1)
        notes.push_back(fmt::format("the runs of {} were trained with different jobs: {}", variant,
                                    fmt::join(groups, ", ")));
}

/// What answers are made of.
struct Evidence {
    const Study& plan;
    const StudySnapshot& study;
    const RunFacts& facts;
};

Numbers combined(const ClaimStep& step, const MeasuredPairs& pairs) {
    if (!step.ratio) return pairs.differences();
    Numbers ratios;
    for (size_t i = 0; i < pairs.values.size(); ++i)
        ratios.push_back(pairs.values[i] / pairs.partner_values[i]);
    return ratios;
}

/// Where the log has no number at the tokens that were asked for, it is from before.
void tell_where_measured(const Claim& claim, const MeasuredRuns& left, const MeasuredRuns& right,
                         std::vector<std::string>& notes) {
    if (!claim.at_tokens || left.values.empty() || right.values.empty()) return;
    MeasuredAt at{*claim.at_tokens};
    at.include(left);
    at.include(right);
    if (at.earliest == at.asked && at.latest == at.asked) return;
    const std::string where =
        at.earliest == at.latest
            ? grouped_digits(at.latest)
            : fmt::format("{} to {}", grouped_digits(at.earliest), grouped_digits(at.latest));
    notes.push_back(fmt::format("{} is from {} tokens, the last before {} that the logs have",
                                claim.measure, where, grouped_digits(at.asked)));
}

StepAnswer answer_measured(const ClaimStep& step, const Claim& claim, const Evidence& evidence) {
    const Measure measure = Measure::parse(claim.measure);
    const auto left_runs = runs_of(step.left, evidence.plan, evidence.study);
    const auto right_runs = runs_of(step.right, evidence.plan, evidence.study);
    const MeasuredRuns left = measure_runs(left_runs, measure, claim.at_tokens);
    const MeasuredRuns right = measure_runs(right_runs, measure, claim.at_tokens);
    std::vector<std::string> notes = left.notes;
    notes.insert(notes.end(), right.notes.begin(), right.notes.end());
    tell_different_jobs(step.left, left.runs, notes);
    tell_different_jobs(step.right, right.runs, notes);
    tell_where_measured(claim, left, right, notes);
    const PairBy by = claim.by_seed ? PairBy::kSeed : PairBy::kBatches;
    Numbers measured = combined(step, pair_runs(left, right, claim.at_tokens, notes, by));
    if (std::erase_if(measured, [](double value) { return !std::isfinite(value); }) > 0)
        notes.push_back("a ratio is no number");
    StepAnswer answer = answer_step(step, measured);
    answer.notes = std::move(notes);
    answer.diverged = any_diverged(left_runs) || any_diverged(right_runs);
    if (answer.diverged) {
        answer.verdict = Verdict::kNotDecided;
        answer.seeds_needed.reset();
    }
    return answer;
}

StepAnswer answer_exact(const ClaimStep& step, const Claim& claim, const Evidence& evidence) {
    StepAnswer answer;
    answer.step = step;
    Numbers sides;
    for (const std::string& variant : {step.left, step.right}) {
        const auto runs = runs_of(variant, evidence.plan, evidence.study);
        const auto number =
            runs.empty() ? std::nullopt : evidence.facts.value(*runs.front(), claim.measure).number;
        if (!number) {
            answer.notes.push_back(
                fmt::format("{} of {} is not known yet", claim.measure, variant));
            return answer;
        }
        sides.push_back(*number);
    }
    answer.n = 1;
    answer.estimate = step.ratio ? sides[0] / sides[1] : sides[0] - sides[1];
    answer.verdict = compare_exactly(step, *answer.estimate);
    return answer;
}

Verdict verdict_of(const std::vector<StepAnswer>& steps) {
    Verdict verdict = Verdict::kHeld;
    for (const StepAnswer& step : steps) {
        if (step.verdict == Verdict::kDidNotHold) return Verdict::kDidNotHold;
        if (step.verdict == Verdict::kNotDecided) verdict = Verdict::kNotDecided;
    }
    return verdict;
}

void correct(std::vector<ClaimAnswer>& answers) {
    std::vector<std::optional<double>> p;
    for (const ClaimAnswer& answer : answers)
        for (const StepAnswer& step : answer.steps) p.push_back(step.p);
    const std::vector<std::optional<double>> corrected = holm(p);
    size_t at = 0;
    for (ClaimAnswer& answer : answers)
        for (StepAnswer& step : answer.steps) {
            step.p_holm = corrected[at++];
            if (step.verdict != Verdict::kNotDecided && step.p_holm && *step.p_holm >= kTestLevel)
                step.notes.push_back(fmt::format(
                    "{} {} by itself, but not with Holm's correction over all claims (p = {:.2g})",
                    answer.claim.text, name_of(step.verdict), *step.p_holm));
        }
}

}  // namespace

const char* name_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::kHeld:
            return "held";
        case Verdict::kDidNotHold:
            return "did not hold";
        case Verdict::kNotDecided:
            break;
    }
    return "not decided";
}

int ClaimAnswer::n() const {
    int least = std::numeric_limits<int>::max();
    for (const StepAnswer& step : steps) least = std::min(least, step.n);
    return steps.empty() ? 0 : least;
}

std::optional<int> ClaimAnswer::more_seeds() const {
    int more = 0;
    for (const StepAnswer& step : steps) {
        if (step.verdict != Verdict::kNotDecided) continue;
        if (!step.seeds_needed) return std::nullopt;
        more = std::max(more, std::max(1, *step.seeds_needed - step.n));
    }
    return more;
}

StepAnswer answer_step(const ClaimStep& step, const Numbers& measured) {
    StepAnswer answer;
    answer.step = step;
    answer.n = static_cast<int>(measured.size());
    if (measured.empty()) return answer;
    const double mean = mean_of(measured);
    answer.estimate = mean;
    answer.interval = t_interval(measured);
    answer.p = paired_difference(shifted(measured, nearest_edge(step, mean))).p;
    answer.seeds_needed = step.relation == ClaimRelation::kEqual
                              ? seeds_needed_within(shifted(measured, step.bound), step.within)
                              : seeds_needed(shifted(measured, step.bound));
    if (answer.interval) answer.verdict = judge(step, *answer.interval);
    return answer;
}

std::vector<ClaimAnswer> answer_claims(const Study& plan, const StudySnapshot& study) {
    RunFacts facts;
    facts.set_runs(study.runs);
    const Evidence evidence{plan, study, facts};
    std::vector<ClaimAnswer> answers;
    for (const Claim& claim : plan.expect) {
        ClaimAnswer answer;
        answer.claim = claim;
        for (const ClaimStep& step : claim.steps)
            answer.steps.push_back(is_exact_measure(claim.measure)
                                       ? answer_exact(step, claim, evidence)
                                       : answer_measured(step, claim, evidence));
        answer.verdict = verdict_of(answer.steps);
        answers.push_back(std::move(answer));
    }
    correct(answers);
    return answers;
}

std::string verdict_text(const ClaimAnswer& answer) {
    if (answer.verdict != Verdict::kNotDecided) return name_of(answer.verdict);
    if (std::any_of(answer.steps.begin(), answer.steps.end(),
                    [](const StepAnswer& step) { return step.diverged; }))
        return "not decided, as runs diverged";
    const int n = answer.n();
    const std::string text = fmt::format("not decided with {} seed{}", n, n == 1 ? "" : "s");
    const std::optional<int> more = answer.more_seeds();
    if (more) return fmt::format("{} (about {} more)", text, *more);
    return n > 1 ? fmt::format("{} (more than {} needed)", text, grouped_digits(kMostSeeds)) : text;
}

}  // namespace headroom
