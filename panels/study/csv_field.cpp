#include "panels/study/csv_field.h"

#include <fmt/format.h>

#include "core/base/printable.h"

namespace headroom {

std::string csv_field(const std::string& given) {
    std::string text = printable_lines(given);
    if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
    std::string result(1, '"');
    for (const char c : text) {
        if (c == '"') result.push_back('"');
        result.push_back(c);
    }
    result.push_back('"');
    return result;
}

std::string csv_field(const std::optional<double>& number) {
    return number ? fmt::format("{}", *number) : "";
}

}  // namespace headroom
