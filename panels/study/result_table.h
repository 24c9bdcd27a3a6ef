#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/stats/paired_test.h"
#include "core/study/study.h"
#include "panels/study/study_snapshot.h"

namespace headroom {

struct ResultTableSettings {
    /// Id, name or group of a run of the baseline; "": the first variant.
    std::string baseline;
    /// Measures, and numbers that follow from a job (exact_measures()). None: those that study.json
    /// lists, else standard_measures().
    std::vector<std::string> measures;
};

/// params, kv_bytes_per_token, final.
const std::vector<std::string>& standard_measures();

/// One variant by one measure.
struct ResultCell {
    int n = 0;  ///< runs that have the number; of an exact one 1
    std::optional<double> mean{}, deviation{};
    int pairs = 0;  ///< with the baseline
    std::optional<double> difference{};
    std::optional<Interval> interval{};  ///< 95 %, of the paired difference
    std::optional<double> p{}, p_holm{};
    /// The least mean (of an accuracy the greatest) over several seeds, and what the paired test
    /// (Holm, 0.05) does not tell from it. None where there is no test, and none where it tells no
    /// two variants apart.
    bool best = false;
};

struct ResultColumn {
    std::string name;      ///< the measure
    std::string source{};  ///< of published values
    bool exact = false;    ///< follows from the job or was published: neither spread nor test

    bool is_published() const { return !source.empty(); }
};

struct ResultRow {
    std::string name;
    bool is_baseline = false;
    std::vector<ResultCell> cells;  ///< one for each column
};

/// A study's variants by several measures, as papers print them.
struct ResultTable {
    std::string study, baseline;
    std::vector<ResultColumn> columns;
    std::vector<ResultRow> rows;     ///< in the order of study.json
    std::vector<std::string> notes;  ///< which runs were left out and why
};

/// Statistics as compare_with_group has them. `plan` gives the order and the published values; null
/// for runs without a study.json. UserError for a baseline or a measure that is not known. Where a
/// number is missing, its cell is empty and a note says why.
ResultTable build_result_table(const Study* plan, const StudySnapshot& study,
                               const ResultTableSettings& settings);

}  // namespace headroom
