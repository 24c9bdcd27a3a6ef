#include "core/lab/lab_result.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/stats/distributions.h"

namespace headroom {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 3> kStyles{"line", "points", "columns"};
constexpr std::array<const char*, 3> kBounds{"near", "at least", "at most"};

/// "holds" is null where nothing is decided, "accuracy" where nobody knows it.
Json to_json(const LabCheck& check) {
    const LabVerdict verdict = check.verdict();
    Json document = {
        {"claim", check.claim},       {"expected", check.expected},
        {"measured", check.measured}, {"tolerance", check.tolerance},
        {"accuracy", check.accuracy}, {"bound", kBounds[static_cast<size_t>(check.bound)]},
        {"open", check.open},         {"holds", nullptr}};
    if (verdict != LabVerdict::kNotDecided) document["holds"] = verdict == LabVerdict::kHolds;
    return document;
}

Json to_json(const LabTable& table) {
    Json rows = Json::array();
    for (const auto& row : table.rows) {
        Json cells = Json::array();
        for (const LabTable::Cell& cell : row)
            std::visit([&](const auto& value) { cells.push_back(value); }, cell);
        rows.push_back(std::move(cells));
    }
    return {{"name", table.name}, {"columns", table.columns}, {"rows", std::move(rows)}};
}

Json to_json(const LabChart& chart) {
    Json series = Json::array();
    for (const LabSeries& one : chart.series)
        series.push_back({{"name", one.name},
                          {"style", kStyles[static_cast<size_t>(one.style)]},
                          {"x", one.x},
                          {"y", one.y}});
    return {{"name", chart.name},       {"x_label", chart.x_label},   {"y_label", chart.y_label},
            {"log_x", chart.log_x},     {"log_y", chart.log_y},       {"note", chart.note},
            {"x_names", chart.x_names}, {"series", std::move(series)}};
}

/// Reads parts of a document by their type; `where` grows into the place that an error names.
class Reader {
  public:
    Reader(const nlohmann::json& value, std::string where)
        : value_(value), where_(std::move(where)) {}

    Reader at(const char* key) const {
        if (!value_.is_object() || !value_.contains(key)) fail(fmt::format("has no \"{}\"", key));
        return {value_.at(key), where_ + "." + key};
    }
    bool has(const char* key) const { return value_.is_object() && value_.contains(key); }
    std::vector<Reader> list() const {
        if (!value_.is_array()) fail("is no list");
        std::vector<Reader> parts;
        for (size_t i = 0; i < value_.size(); ++i)
            parts.emplace_back(value_[i], fmt::format("{}[{}]", where_, i));
        return parts;
    }
    std::string text() const {
        if (!value_.is_string()) fail("is no text");
        return value_.get<std::string>();
    }
    /// Which of the words it is.
    size_t word_of(const std::array<const char*, 3>& words) const {
        const auto found = std::find(words.begin(), words.end(), text());
        if (found == words.end())
            fail(fmt::format("is neither {}, {} nor {}", words[0], words[1], words[2]));
        return static_cast<size_t>(found - words.begin());
    }
    bool flag() const {
        if (!value_.is_boolean()) fail("is neither true nor false");
        return value_.get<bool>();
    }
    /// JSON has no number that is not finite: null stands for one.
    double number() const {
        if (value_.is_null()) return std::nan("");
        if (!value_.is_number()) fail("is no number");
        return value_.get<double>();
    }
    std::vector<double> numbers() const {
        std::vector<double> all;
        for (const Reader& part : list()) all.push_back(part.number());
        return all;
    }
    LabTable::Cell cell() const {
        if (value_.is_number_integer()) return value_.get<int64_t>();
        if (value_.is_string()) return value_.get<std::string>();
        return number();
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw UserError(fmt::format("{} {}", where_, what),
                        "give the file that `headroom lab NAME --out FILE` wrote");
    }

  private:
    const nlohmann::json& value_;
    std::string where_;
};

/// Results of older programs have none of the last three: the tolerance alone decided.
LabCheck read_check(const Reader& part) {
    LabCheck check{part.at("claim").text(), part.at("expected").number(),
                   part.at("measured").number(), part.at("tolerance").number()};
    if (part.has("accuracy")) check.accuracy = part.at("accuracy").number();
    if (part.has("bound"))
        check.bound = static_cast<LabCheck::Bound>(part.at("bound").word_of(kBounds));
    if (part.has("open")) check.open = part.at("open").text();
    return check;
}

LabSeries read_series(const Reader& part) {
    LabSeries series{part.at("name").text(), LabSeries::Style::kLine, part.at("x").numbers(),
                     part.at("y").numbers()};
    series.style = static_cast<LabSeries::Style>(part.at("style").word_of(kStyles));
    if (series.x.size() != series.y.size()) part.fail("has another number of x than of y");
    return series;
}

LabChart read_chart(const Reader& part) {
    LabChart chart;
    chart.name = part.at("name").text();
    chart.x_label = part.at("x_label").text();
    chart.y_label = part.at("y_label").text();
    chart.log_x = part.at("log_x").flag();
    chart.log_y = part.at("log_y").flag();
    chart.note = part.at("note").text();
    if (part.has("x_names"))
        for (const Reader& name : part.at("x_names").list()) chart.x_names.push_back(name.text());
    for (const Reader& one : part.at("series").list()) chart.series.push_back(read_series(one));
    return chart;
}

LabTable read_table(const Reader& part) {
    LabTable table{part.at("name").text(), {}, {}};
    for (const Reader& column : part.at("columns").list()) table.columns.push_back(column.text());
    for (const Reader& row : part.at("rows").list()) {
        table.rows.emplace_back();
        for (const Reader& cell : row.list()) table.rows.back().push_back(cell.cell());
        if (table.rows.back().size() != table.columns.size())
            row.fail(fmt::format("has not {} cells", table.columns.size()));
    }
    return table;
}

}  // namespace

std::string_view name_of(LabVerdict verdict) {
    constexpr std::array<std::string_view, 3> kNames{"holds", "does not hold", "not decided"};
    return kNames[static_cast<size_t>(verdict)];
}

double accuracy_of(const SampleMean& mean) {
    if (mean.count < 2) return std::nan("");
    return t_quantile(0.995, static_cast<double>(mean.count) - 1) * mean.standard_error;
}

LabVerdict LabCheck::verdict() const {
    if (!open.empty() || !std::isfinite(accuracy)) return LabVerdict::kNotDecided;
    const double above = measured - expected;
    const double away = bound == Bound::kNear      ? std::abs(above)
                        : bound == Bound::kAtLeast ? -above
                                                   : above;
    const double allowed = tolerance * (expected == 0 ? 1 : std::abs(expected));
    if (away + accuracy <= allowed) return LabVerdict::kHolds;
    return away - accuracy <= allowed ? LabVerdict::kNotDecided : LabVerdict::kDoesNotHold;
}

void name_what_decides(LabCheck& check, std::string_view option) {
    if (check.open.empty() && check.verdict() == LabVerdict::kNotDecided)
        check.open = fmt::format("the interval takes in yes and no: give more {}", option);
}

std::string LabCheck::claim_text() const {
    return open.empty() ? claim : fmt::format("{} ({})", claim, open);
}

std::string LabCheck::measured_text() const {
    if (accuracy == 0) return fmt::format("{:.6g}", measured);
    return std::isfinite(accuracy) ? fmt::format("{:.6g} ± {:.2g}", measured, accuracy)
                                   : fmt::format("{:.6g} ± ?", measured);
}

std::string LabCheck::expected_text() const {
    constexpr std::array<std::string_view, 3> kWords{"", "at least ", "at most "};
    return fmt::format("{}{:.6g}", kWords[static_cast<size_t>(bound)], expected);
}

std::string LabCheck::tolerance_text() const {
    return expected == 0 ? fmt::format("{:g}", tolerance) : fmt::format("{:g} %", 100 * tolerance);
}

std::string cell_text(const LabTable::Cell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell)) return *text;
    if (const auto* whole = std::get_if<int64_t>(&cell)) return fmt::to_string(*whole);
    const double value = std::get<double>(cell);
    return std::isfinite(value) ? fmt::format("{:.5g}", value) : "-";
}

nlohmann::ordered_json to_json(const LabResult& result) {
    Json document = {{"stopped", result.stopped},
                     {"checks", Json::array()},
                     {"tables", Json::array()},
                     {"charts", Json::array()}};
    for (const LabCheck& check : result.checks) document["checks"].push_back(to_json(check));
    for (const LabTable& table : result.tables) document["tables"].push_back(to_json(table));
    for (const LabChart& chart : result.charts) document["charts"].push_back(to_json(chart));
    return document;
}

LabResult read_lab_result(const nlohmann::json& document, const std::string& source) {
    const Reader root(document, source + ":");
    LabResult result;
    result.stopped = root.at("stopped").flag();
    for (const Reader& check : root.at("checks").list()) result.checks.push_back(read_check(check));
    for (const Reader& table : root.at("tables").list()) result.tables.push_back(read_table(table));
    for (const Reader& chart : root.at("charts").list()) result.charts.push_back(read_chart(chart));
    return result;
}

LabSeries density_columns(const std::string& name, const std::vector<double>& values,
                          double deviation, double width, int bins) {
    LabSeries columns{name, LabSeries::Style::kColumns, {}, {}};
    const double step = 2 * width * deviation / bins;
    std::vector<double> counts(static_cast<size_t>(bins));
    for (const double value : values) {
        const double bin = std::floor((value + width * deviation) / step);
        if (bin >= 0 && bin < bins) ++counts[static_cast<size_t>(bin)];
    }
    for (int bin = 0; bin < bins; ++bin) {
        columns.x.push_back((bin + 0.5) * step - width * deviation);
        columns.y.push_back(counts[static_cast<size_t>(bin)] /
                            (static_cast<double>(values.size()) * step));
    }
    return columns;
}

LabSeries normal_curve(const std::string& name, double deviation, double width) {
    LabSeries curve{name, LabSeries::Style::kLine, {}, {}};
    constexpr int kPoints = 160;
    for (int i = 0; i <= kPoints; ++i) {
        const double z = width * (2.0 * i / kPoints - 1);
        curve.x.push_back(z * deviation);
        curve.y.push_back(std::exp(-z * z / 2) / (std::sqrt(2 * std::numbers::pi) * deviation));
    }
    return curve;
}

}  // namespace headroom
