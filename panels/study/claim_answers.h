#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/stats/paired_test.h"
#include "core/study/study.h"
#include "panels/study/study_snapshot.h"

namespace headroom {

enum class Verdict { kHeld, kDidNotHold, kNotDecided };
/// "held", "did not hold", "not decided".
const char* name_of(Verdict verdict);

/// What the pairs of runs say of one step of a claim.
struct StepAnswer {
    ClaimStep step;
    Verdict verdict = Verdict::kNotDecided;
    int n = 0;                         ///< pairs of seeds; of an exact measure 1
    std::optional<double> estimate;    ///< mean difference, or mean ratio, of left to right
    std::optional<Interval> interval;  ///< 95 %, of the paired t test
    std::optional<double> p, p_holm;   ///< two-sided; Holm's over all steps of the study
    /// Pairs with which the test would decide with power 0.8, were the mean and spread of these
    /// true; none for one pair, and if kMostSeeds do not do.
    std::optional<int> seeds_needed;
    bool diverged = false;           ///< a run did: what is left is no sample of its variant
    std::vector<std::string> notes;  ///< which runs were left out and why
};

struct ClaimAnswer {
    Claim claim;
    Verdict verdict = Verdict::kNotDecided;  ///< held if all steps held
    std::vector<StepAnswer> steps;

    int n() const;  ///< of the step that has the fewest
    /// Further seeds with which an open claim would be decided; none if that is not known.
    std::optional<int> more_seeds() const;
};

/// Answers the claims of `plan` from the runs of its folder, paired as compare_study pairs them.
/// A step is decided where the 95 % interval lies on one side of its bound, or for an equality
/// within or outside of it. UserError for a measure that is not known.
std::vector<ClaimAnswer> answer_claims(const Study& plan, const StudySnapshot& study);

/// One step from what was measured of each pair: differences, or ratios.
StepAnswer answer_step(const ClaimStep& step, const std::vector<double>& measured);

/// "held", "did not hold", "not decided, as runs diverged" or "not decided with 3 seeds (about 5
/// more)": a sentence's end for people.
std::string verdict_text(const ClaimAnswer& answer);

}  // namespace headroom
