#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/stats/sample_mean.h"

namespace headroom {

/// What a measurement says of a claim.
enum class LabVerdict { kHolds, kDoesNotHold, kNotDecided };
/// "holds", "does not hold", "not decided".
std::string_view name_of(LabVerdict verdict);

/// A claim of a theorem with the number that was measured.
struct LabCheck {
    /// Where the measured number lies if the claim holds, up to the tolerance.
    enum class Bound { kNear, kAtLeast, kAtMost };

    std::string claim;
    double expected = 0;
    double measured = 0;
    double tolerance = 0;  ///< relative to expected, or absolute where that is 0
    /// Half the 99 % interval of measured - expected: 0 where chance has no part in it, not finite
    /// where nobody knows it.
    double accuracy = 0;
    Bound bound = Bound::kNear;
    std::string open = {};  ///< why nothing is decided, whatever the numbers

    /// Holds or not where the whole interval says so, else not decided.
    LabVerdict verdict() const;
    std::string claim_text() const;      ///< with why it is open
    std::string measured_text() const;   ///< "2.4571 ± 0.0062"
    std::string expected_text() const;   ///< "2.4576", "at least 6.2014"
    std::string tolerance_text() const;  ///< "1 %" of expected, or an absolute "1e-10"
};

/// Says which option would decide a claim that its interval alone leaves open.
void name_what_decides(LabCheck& check, std::string_view option);

/// Half the 99 % interval of a mean, by Student's t; not finite of fewer than two values.
double accuracy_of(const SampleMean& mean);

struct LabTable {
    using Cell = std::variant<int64_t, double, std::string>;
    std::string name;
    std::vector<std::string> columns;
    std::vector<std::vector<Cell>> rows;
};

/// One curve, or the points or columns of a chart.
struct LabSeries {
    enum class Style { kLine, kPoints, kColumns };
    std::string name;
    Style style = Style::kLine;
    std::vector<double> x, y;
};

struct LabChart {
    std::string name;  ///< in file names and --chart
    std::string x_label, y_label;
    bool log_x = false, log_y = false;
    std::vector<LabSeries> series;
    std::string note;                       ///< small print
    std::vector<std::string> x_names = {};  ///< in place of numbers: what stands at x = 1, 2, …
};

/// What an experiment found: everything that its page and its figures show.
struct LabResult {
    std::vector<LabCheck> checks;
    std::vector<LabTable> tables;
    std::vector<LabChart> charts;
    bool stopped = false;  ///< before its end
};

/// A cell as a person reads it: five digits.
std::string cell_text(const LabTable::Cell& cell);

nlohmann::ordered_json to_json(const LabResult& result);
/// Reads it as a file of a stranger. UserError naming `source` and what is wrong in it.
LabResult read_lab_result(const nlohmann::json& document, const std::string& source);

/// Columns of a histogram of values with `bins` from -width to width deviations of `deviation`,
/// as a density: the columns' x is their middle.
LabSeries density_columns(const std::string& name, const std::vector<double>& values,
                          double deviation, double width = 4, int bins = 64);
/// The normal density of that deviation over the same range.
LabSeries normal_curve(const std::string& name, double deviation, double width = 4);

}  // namespace headroom
