#pragma once

#include <optional>
#include <string>
#include <vector>

#include "panels/loss/loss_settings.h"
#include "panels/study/run.h"
#include "panels/study/study_comparison.h"

namespace headroom {

/// What the differences from the reference amount to, as text: the numbers of `headroom study
/// compare`.
struct Evidence {
    std::optional<StudyComparison> comparison;  ///< none where nothing could be compared
    std::string title;
    std::vector<std::vector<std::string>> rows;  ///< in the columns of comparison_rows.h
    std::vector<int> colors;                     ///< of each row
    std::vector<std::string> warnings;  ///< broken pairs, too few seeds, or why there is nothing
};

/// Of the final value of what the settings show (the validation loss, or the metric), against
/// LossSettings::baseline. Reads logs: not for the UI thread.
Evidence build_evidence(const std::vector<RunPointer>& runs, const LossSettings& settings);

}  // namespace headroom
