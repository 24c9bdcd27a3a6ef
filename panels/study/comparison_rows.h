#pragma once

#include <string>
#include <vector>

#include "panels/study/study_comparison.h"
#include "panels/study/table_markup.h"

namespace headroom {

/// A comparison as cells of text, for a terminal and the window alike: one row for each variant,
/// the baseline first, in these columns.
std::vector<std::string> comparison_columns();
std::vector<std::vector<std::string>> comparison_rows(const StudyComparison& comparison);

/// "VARIANT: which runs were left out and why, or what to mind", one line each.
std::vector<std::string> comparison_notes(const StudyComparison& comparison);

/// "final of every run, paired by seed and equal batches (paired t test)"
std::string comparison_title(const StudyComparison& comparison);

/// The rows with title and notes below them, for a paper.
PrintedTable printed_table(const StudyComparison& comparison);

/// The same for other programs: RFC 4180, every number in full, "" where there is none.
std::string comparison_csv(const StudyComparison& comparison);

}  // namespace headroom
