#pragma once

#include <filesystem>

#include "app/study/report_document.h"
#include "core/study/study.h"
#include "panels/study/study_snapshot.h"

namespace headroom {

/// What a study has found, for somebody who was not there: its question, its claims with what the
/// runs say, results, figures as they lie in figures/, variants with their counts, how the runs
/// ended, on what they were made, and the commands that repeat it. `study_json` is the file as it
/// stands.
ReportDocument report_study(const Study& plan, const StudySnapshot& study,
                            const std::string& study_json);

}  // namespace headroom
