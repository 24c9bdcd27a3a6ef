#include "panels/launch/value_lists.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "core/base/key_error.h"
#include "core/base/parse_number.h"

namespace headroom {
namespace {

std::string trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return std::string(text);
}

/// Whether two values make the same run: "1e-3" and "0.001" do.
bool are_equal(const std::string& a, const std::string& b) {
    const std::optional<double> x = parse_number(a), y = parse_number(b);
    return a == b || (x && y && *x == *y);
}

/// The values of one key, each once: what is between the commas of a number's list, else the text
/// itself.
std::vector<std::string> listed(const std::string& path, const std::string& text) {
    const Field* field = find_field(path);
    const bool is_number = field != nullptr && (field->type == FieldType::kInteger ||
                                                field->type == FieldType::kNumber);
    if (!is_number || text.find(',') == std::string::npos || text.find('[') != std::string::npos)
        return {text};
    std::vector<std::string> values;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t comma = std::min(text.find(',', begin), text.size());
        std::string value = trimmed(std::string_view(text).substr(begin, comma - begin));
        if (value.empty())
            throw KeyError(UserError(fmt::format("{} = {} has an empty place", path, text),
                                     "write values as in 1e-3, 2e-3"),
                           {path});
        if (std::none_of(values.begin(), values.end(),
                         [&](const std::string& other) { return are_equal(value, other); }))
            values.push_back(std::move(value));
        begin = comma + 1;
    }
    return values;
}

}  // namespace

std::vector<GridPoint> grid_points(const std::map<std::string, std::string>& values) {
    std::vector<GridPoint> points{{values, {}}};
    for (const auto& [path, text] : values) {
        const std::vector<std::string> choices = listed(path, text);
        if (choices.size() == 1) {
            for (GridPoint& point : points) point.values[path] = choices.front();
            continue;
        }
        if (points.size() * choices.size() > kMostGridPoints)
            throw KeyError(UserError(fmt::format("{} = {} makes more than {} combinations", path,
                                                 text, kMostGridPoints),
                                     "list fewer values"),
                           {path});
        std::vector<GridPoint> more;
        for (const GridPoint& point : points)
            for (const std::string& choice : choices) {
                more.push_back(point);
                more.back().values[path] = choice;
                more.back().listed.push_back(
                    fmt::format("{}={}", path.substr(path.rfind('.') + 1), choice));
            }
        points = std::move(more);
    }
    return points;
}

}  // namespace headroom
