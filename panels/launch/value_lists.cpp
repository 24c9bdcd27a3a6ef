#include "panels/launch/value_lists.h"

#include <string_view>

#include <fmt/format.h>

#include "core/base/key_error.h"

namespace headroom {
namespace {

std::string trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return std::string(text);
}

/// The values of one key: what is between the commas of a number's list, else the text itself.
std::vector<std::string> listed(const std::string& path, const std::string& text) {
    const Field* field = find_field(path);
    const bool is_number = field != nullptr && (field->type == FieldType::kInteger ||
                                                field->type == FieldType::kNumber);
    if (!is_number || text.find(',') == std::string::npos || text.find('[') != std::string::npos)
        return {text};
    std::vector<std::string> values;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t comma = std::min(text.find(',', begin), text.size());
        values.push_back(trimmed(std::string_view(text).substr(begin, comma - begin)));
        if (values.back().empty())
            throw KeyError(UserError(fmt::format("{} = {} has an empty place", path, text),
                                     "write values as in 1e-3, 2e-3"),
                           {path});
        begin = comma + 1;
    }
    return values;
}

}  // namespace

std::vector<GridPoint> grid_points(const std::map<std::string, std::string>& values) {
    std::vector<GridPoint> points{{values, {}}};
    for (const auto& [path, text] : values) {
        const std::vector<std::string> choices = listed(path, text);
        if (choices.size() == 1) continue;
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
