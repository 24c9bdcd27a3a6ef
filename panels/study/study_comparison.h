#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/stats/paired_test.h"
#include "panels/study/run.h"

namespace headroom {

/// The number by which runs are compared.
struct Measure {
    enum class Kind { kFinal, kBest, kMeanOfLast, kSeries };
    Kind kind = Kind::kFinal;
    int last = 1;        ///< evaluations of kMeanOfLast
    std::string series;  ///< of kSeries: its value at the end, or at the number of tokens asked for

    /// "final", "best" or "last-5" (of the validation loss), or a series of the log such as
    /// "train/grad_norm". UserError for a word that is none of these.
    static Measure parse(const std::string& text);
    std::string name() const;
};

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
    std::optional<Interval> tokens_saved_interval;
    std::vector<std::string> notes;  ///< which runs were left out and why, and what to mind
};

/// A study's variants against one of them: semantics.md section 28.
struct StudyComparison {
    std::string baseline;
    Measure measure;
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

}  // namespace headroom
