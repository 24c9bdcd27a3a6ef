#include "panels/figure/figure_csv.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace headroom {
namespace {

/// Numbers of the log are float32: seven digits read back exactly where the value is a float.
std::string number(double value) {
    if (std::isnan(value)) return "";
    const auto single = static_cast<float>(value);
    if (static_cast<double>(single) == value && std::floor(value) != value)
        return fmt::format("{}", single);
    return fmt::format("{}", value);
}

std::string quoted(const std::string& text) {
    if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + '"';
}

/// Comment text on one line, whatever the run's name holds.
std::string one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return text;
}

void append_comment(std::string& out, const std::string& key, const std::string& text) {
    if (!text.empty()) out += "# " + key + ": " + one_line(text) + "\n";
}

void append_header(const Figure& figure, std::string& out) {
    append_comment(out, "figure", figure.title);
    append_comment(out, "x", figure.x.label);
    append_comment(out, "y", figure.y.label);
    append_comment(out, "note", figure.footnote);
    for (const FigureSource& source : figure.sources) {
        append_comment(out, "run", source.run);
        append_comment(out, "  folder", source.folder);
        append_comment(out, "  state", source.state);
        append_comment(out, "  started", source.started);
        append_comment(out, "  program", source.program);
        append_comment(out, "  job", source.job);
    }
    const std::string& y = figure.y.column;
    fmt::format_to(std::back_inserter(out), "series,role,{},{},{}_lower,{}_upper\n",
                   figure.x.column, y, y, y);
}

struct Span {
    size_t begin, end;
};

Span shown(const Curve& curve, Range range) {
    return {curve.lower_index(range.lower), curve.upper_index(range.upper)};
}

void append_series(const FigureSeries& series, Range range, std::string& out) {
    const auto [begin, end] = shown(*series.data, range);
    const std::string start = quoted(series.name) + "," + series.role + ",";
    for (size_t i = begin; i < end; ++i)
        out += start + number(series.data->x()[i]) + "," + number(series.data->y()[i]) + ",,\n";
}

void append_band(const FigureBand& band, Range range, std::string& out) {
    const auto [begin, end] = shown(*band.lower, range);
    const std::string start = quoted(band.name) + ",band,";
    for (size_t i = begin; i < end; ++i)
        out += start + number(band.lower->x()[i]) + ",," + number(band.lower->y()[i]) + "," +
               number(band.upper->y()[i]) + "\n";
}

void append_bar(const FigureBar& bar, const std::vector<std::string>& names, std::string& out) {
    const auto at = static_cast<size_t>(std::max(0l, std::lround(bar.x) - 1));
    out += quoted(bar.name) + ",bar," + (at < names.size() ? quoted(names[at]) : number(bar.x)) +
           "," + number(bar.upper - bar.lower) + "," + number(bar.lower) + "," + number(bar.upper) +
           "\n";
}

}  // namespace

std::string figure_csv(const Figure& figure) {
    std::string out;
    append_header(figure, out);
    for (const FigureSeries& series : figure.series)
        if (series.visible && series.data) append_series(series, figure.x.range, out);
    for (const FigureBand& band : figure.bands)
        if (band.visible && band.lower) append_band(band, figure.x.range, out);
    for (const FigureBar& bar : figure.bars) append_bar(bar, figure.x.names, out);
    for (const FigureRule& rule : figure.rules) {
        const std::string at = number(rule.at);
        out += quoted(rule.label) + ",rule," + (rule.horizontal ? "," + at : at + ",") + ",,\n";
    }
    return out;
}

}  // namespace headroom
