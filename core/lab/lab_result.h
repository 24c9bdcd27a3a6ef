#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace headroom {

/// A claim of a theorem with the number that was measured.
struct LabCheck {
    std::string claim;
    double expected = 0;
    double measured = 0;
    double tolerance = 0;  ///< relative to expected, or absolute where that is 0
    bool holds() const;
    std::string tolerance_text() const;  ///< "1 %" of expected, or an absolute "1e-10"
};

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
