#include "panels/loss/evidence.h"

#include <algorithm>
#include <exception>

#include "panels/study/comparison_rows.h"

namespace headroom {

Evidence build_evidence(const std::vector<RunPointer>& runs, const LossSettings& settings) {
    Evidence evidence;
    try {
        ComparisonSettings asked;
        asked.baseline = settings.baseline;
        if (!settings.metric.empty()) asked.measure = Measure::parse(settings.metric);
        const StudyComparison& comparison = evidence.comparison.emplace(compare_study(runs, asked));
        evidence.title = comparison_title(comparison);
        evidence.rows = comparison_rows(comparison);
        evidence.warnings = comparison_notes(comparison);
        for (const std::vector<std::string>& row : evidence.rows) {
            const auto run = std::find_if(runs.begin(), runs.end(),
                                          [&](const auto& r) { return r->group == row.front(); });
            evidence.colors.push_back(run == runs.end() ? 0 : (*run)->color);
        }
    } catch (const std::exception& error) {
        evidence.warnings = {error.what()};
    }
    return evidence;
}

}  // namespace headroom
