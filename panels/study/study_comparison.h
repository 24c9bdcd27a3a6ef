#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/stats/paired_test.h"
#include "panels/study/measure_label.h"
#include "panels/study/measured_runs.h"
#include "panels/study/run.h"

namespace headroom {

struct ComparisonSettings {
    std::string baseline;  ///< id, name or group of a run of the baseline
    Measure measure;
    std::optional<int64_t> at_tokens;  ///< compare here instead of at the end
    bool welch = false;                ///< not paired: only on a person's word
};

/// One group of runs against the baseline.
struct GroupComparison {
    std::string name;
    int color = 0;
    SampleMoments moments;      ///< of the runs that were compared; n = 0: none could be
    MeanDifference difference;  ///< group - baseline
    std::optional<double> p_holm;
    std::optional<int> seeds_needed;     ///< of paired comparisons
    std::optional<double> tokens_saved;  ///< share of the baseline's; none = not reached
    /// The baseline's loss is reached by the first evaluation: that is a lower bound.
    bool tokens_saved_at_least = false;
    std::optional<Interval> tokens_saved_interval;  ///< none of a bound, of the mean or of a pair
    std::vector<std::string> notes;  ///< which runs were left out and why, and what to mind
};

/// A study's variants against one of them: semantics.md section 28.
struct StudyComparison {
    std::string baseline;
    Measure measure;
    std::optional<MeasuredAt> measured_at;  ///< none: at the end of every run
    bool paired = true;
    SampleMoments baseline_moments;           ///< of all of its runs that have the measure
    std::vector<std::string> baseline_notes;  ///< which of its runs were left out, and why
    std::vector<GroupComparison> groups;
};

/// Pairs the runs of each group with those of the baseline by seed; runs are a pair if data, steps
/// and every batch hash agree. What is no pair is left out and said, a repeated seed counts once.
/// UserError for a baseline that is not among the runs or has no run with the measure.
StudyComparison compare_study(const std::vector<RunPointer>& runs,
                              const ComparisonSettings& settings);
/// The same where it is known which group the baseline is: its name may be another run's id.
/// REQUIRES: runs of that group.
StudyComparison compare_with_group(const std::vector<RunPointer>& runs, const std::string& group,
                                   const ComparisonSettings& settings);

}  // namespace headroom
