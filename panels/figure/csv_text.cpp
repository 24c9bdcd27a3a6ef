#include "panels/figure/csv_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/printable.h"
#include "panels/study/csv_field.h"

namespace headroom {
namespace {

/// Comment text on one line, whatever the run's name holds.
std::string one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return printable(text);
}

}  // namespace

/// Numbers of the log are float32: seven digits read back exactly where the value is a float.
std::string csv_number(double value) {
    if (std::isnan(value)) return "";
    const auto single = static_cast<float>(value);
    if (static_cast<double>(single) == value && std::floor(value) != value)
        return fmt::format("{}", single);
    return fmt::format("{}", value);
}

std::string csv_quoted(const std::string& given) {
    return csv_field(printable(given));
}

void append_csv_comment(std::string& out, const std::string& key, const std::string& text) {
    if (!text.empty()) out += "# " + key + ": " + one_line(text) + "\n";
}

void append_csv_sources(std::string& out, const std::vector<FigureSource>& sources) {
    for (const FigureSource& source : sources) {
        append_csv_comment(out, "run", source.run);
        append_csv_comment(out, "  folder", source.folder);
        append_csv_comment(out, "  state", source.state);
        append_csv_comment(out, "  started", source.started);
        append_csv_comment(out, "  program", source.program);
        append_csv_comment(out, "  job", source.job);
    }
}

}  // namespace headroom
