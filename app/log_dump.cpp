#include "app/log_dump.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/nearest.h"

namespace headroom {
namespace {

using nlohmann::ordered_json;

/// One column, whatever its type.
struct Column {
    std::string group, name;
    size_t rows = 0;
    bool is_index = false;
    std::function<std::string(size_t)> text;   ///< of one value
    std::function<ordered_json(size_t)> json;  ///< of one value

    std::string full_name() const { return group + "/" + name; }
};

/// The shortest decimal that reads back as the same float32, so that 2.19 is not 2.190000057.
template <class T>
ordered_json json_of(T value) {
    if constexpr (std::is_floating_point_v<T>) {
        if (!std::isfinite(value)) return nullptr;
        return std::strtod(fmt::to_string(value).c_str(), nullptr);
    } else {
        return value;
    }
}

std::vector<Column> columns_of(const RunSeries& series) {
    std::vector<Column> columns;
    const auto take = [&columns](const std::string& group) {
        return [&columns, group, first = true](const char* name, const auto& values,
                                               const char*) mutable {
            columns.push_back({group, name, values.size(), first,
                               [&values](size_t row) { return fmt::to_string(values[row]); },
                               [&values](size_t row) { return json_of(values[row]); }});
            first = false;
        };
    };
    visit_train_columns(series.train, take("train"));
    visit_val_columns(series.val, take("val"));
    visit_system_columns(series.system, take("system"));
    for (const auto& [name, scalar] : series.scalars)
        visit_scalar_columns(scalar, take("scalars/" + name));
    return columns;
}

/// The columns of the names, in the order asked for.
std::vector<Column> chosen(const RunSeries& series, std::span<const std::string> names) {
    const std::vector<Column> all = columns_of(series);
    std::vector<Column> result;
    for (const std::string& name : names) {
        const auto found = std::find_if(all.begin(), all.end(), [&](const Column& c) {
            const bool is_scalar = name.starts_with("scalars/");
            return c.full_name() == name || (is_scalar && c.full_name() == name + "/value");
        });
        if (found == all.end())
            throw UserError(fmt::format("there is no series \"{}\"{}", name,
                                        suggestion(name, series_names(series))));
        result.push_back(*found);
    }
    return result;
}

/// The columns of one group side by side, its index first.
std::string csv_of_group(const std::vector<Column>& columns) {
    std::string header;
    for (const Column& column : columns) header += (header.empty() ? "" : ",") + column.full_name();
    std::string text = header + "\n";
    for (size_t row = 0; row < columns.front().rows; ++row) {
        for (size_t i = 0; i < columns.size(); ++i) {
            if (i > 0) text += ',';
            if (row < columns[i].rows) text += columns[i].text(row);
        }
        text += '\n';
    }
    return text;
}

}  // namespace

std::vector<std::string> series_names(const RunSeries& series) {
    std::vector<std::string> names;
    for (const Column& column : columns_of(series)) names.push_back(column.full_name());
    return names;
}

std::string dump_csv(const RunSeries& series, std::span<const std::string> names) {
    const std::vector<Column> wanted = chosen(series, names);
    std::string text;
    for (const Column& index : columns_of(series)) {
        if (!index.is_index) continue;
        std::vector<Column> group{index};
        std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(group),
                     [&](const Column& c) { return c.group == index.group && !c.is_index; });
        const bool is_wanted = std::any_of(wanted.begin(), wanted.end(),
                                           [&](const Column& c) { return c.group == index.group; });
        if (is_wanted) text += (text.empty() ? "" : "\n") + csv_of_group(group);
    }
    return text;
}

std::string dump_json(const RunSeries& series, std::span<const std::string> names) {
    ordered_json document = {
        {"state", name_of(series.state)},       {"heartbeat", series.heartbeat},
        {"program", series.attributes.program}, {"host", series.attributes.host},
        {"device", series.attributes.device},   {"started", series.attributes.started}};
    document["job"] = parse_json_or_null(series.attributes.job_json);
    document["series"] = ordered_json::object();
    for (const Column& column : chosen(series, names)) {
        ordered_json values = ordered_json::array();
        for (size_t row = 0; row < column.rows; ++row) values.push_back(column.json(row));
        document["series"][column.full_name()] = std::move(values);
    }
    return dump_text(document) + "\n";
}

std::string dump_contents(const RunSeries& series) {
    std::string text = fmt::format("state: {}\n", name_of(series.state));
    for (const Column& column : columns_of(series))
        text += fmt::format("{:<26} {} rows\n", column.full_name(), column.rows);
    return text;
}

}  // namespace headroom
