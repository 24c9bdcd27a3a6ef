#include "panels/decode_speed/decode_figure.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "panels/base/number_format.h"
#include "panels/figure/column_groups.h"

namespace headroom {
namespace {

using Json = nlohmann::json;
using KeyOf = std::function<std::string(const DecodeRow&)>;

constexpr size_t kMostRows = 10'000;

[[noreturn]] void refuse(const std::string& source, const std::string& what) {
    throw UserError(source + ": " + what, "give what `headroom bench decode --json` printed");
}

/// One row, key by key.
struct RowReader {
    const Json& row;
    std::string where;

    const Json& at(const char* key) const {
        const auto found = row.find(key);
        if (found == row.end()) refuse(where, fmt::format("{} is missing", key));
        return *found;
    }
    std::string text(const char* key) const {
        if (!at(key).is_string() || at(key).get_ref<const std::string&>().size() > 200)
            refuse(where, fmt::format("{} is no short text", key));
        return at(key).get<std::string>();
    }
    double number(const char* key) const {
        if (!at(key).is_number() || !(at(key).get<double>() > 0))
            refuse(where, fmt::format("{} is no number above zero", key));
        return at(key).get<double>();
    }
    int64_t count(const char* key) const {
        if (!at(key).is_number_integer() || number(key) > 1e12)
            refuse(where, fmt::format("{} is no whole number", key));
        return at(key).get<int64_t>();
    }
};

DecodeRow read_row(const Json& row, const std::string& where) {
    if (!row.is_object()) refuse(where, "it is no object");
    const RowReader read{row, where};
    return {read.text("preset"),
            read.text("arch"),
            read.count("batch_size"),
            read.count("context"),
            read.number("prefill_ms_per_100_tokens"),
            read.number("tokens_per_second"),
            read.number("share_of_memory_rate")};
}

/// The values that occur, in the order in which they were measured.
std::vector<std::string> values_of(const std::vector<DecodeRow>& rows, const KeyOf& key) {
    std::vector<std::string> values;
    for (const DecodeRow& row : rows)
        if (std::find(values.begin(), values.end(), key(row)) == values.end())
            values.push_back(key(row));
    return values;
}

/// What can stand below the columns or be chosen.
struct Dimension {
    DecodeOver over;
    const char* name;
    const char* option;
    KeyOf key;
    std::string chosen;  ///< "" = nothing said
};

std::vector<Dimension> dimensions(const DecodeFigureSettings& s) {
    const auto text = [](const std::optional<int64_t>& value) {
        return value ? std::to_string(*value) : "";
    };
    return {
        {DecodeOver::kSize, "size", "--size", [](const DecodeRow& row) { return row.size; },
         s.size},
        {DecodeOver::kContext, "context", "--context",
         [](const DecodeRow& row) { return std::to_string(row.context); }, text(s.context)},
        {DecodeOver::kBatch, "batch", "--batch",
         [](const DecodeRow& row) { return std::to_string(row.batch_size); }, text(s.batch_size)}};
}

/// Keeps what `dimension` is said to be, or all of it if there is but one. Returns which.
std::string choose(const Dimension& dimension, std::vector<DecodeRow>& rows) {
    const std::vector<std::string> values = values_of(rows, dimension.key);
    const std::string known = fmt::format("{}", fmt::join(values, ", "));
    const std::string chosen =
        values.size() == 1 && dimension.chosen.empty() ? values.front() : dimension.chosen;
    if (chosen.empty())
        throw UserError(
            fmt::format("there are several of {}: {}", dimension.name, known),
            fmt::format("choose one with {}, or --over {}", dimension.option, dimension.name));
    if (std::find(values.begin(), values.end(), chosen) == values.end())
        throw UserError(fmt::format("{} {} was not measured", dimension.option, chosen),
                        "choose one of " + known);
    std::erase_if(rows, [&](const DecodeRow& row) { return dimension.key(row) != chosen; });
    return fmt::format("{} {}", dimension.name, chosen);
}

double height_of(const DecodeRow& row, DecodePlot plot) {
    if (plot == DecodePlot::kPrefill) return row.prefill_ms_per_100_tokens;
    return plot == DecodePlot::kThroughput ? row.tokens_per_second : 100 * row.share_of_memory_rate;
}

FigureAxis axis_of(DecodePlot plot) {
    if (plot == DecodePlot::kPrefill)
        return {"prompt (ms per 100 tokens)", "prefill_ms_per_100_tokens", {}, {}, {}};
    if (plot == DecodePlot::kThroughput)
        return {"decoding (tokens/s)", "tokens_per_second", {}, {}, {}};
    return {"of the memory's reading rate (%)", "share_percent", {}, {}, {}};
}

}  // namespace

DecodeResult read_decode_result(const Json& document, const std::string& source) {
    if (!document.is_object() || !document.contains("cases") || !document["cases"].is_array())
        refuse(source, "it has no list \"cases\"");
    const Json& cases = document["cases"];
    if (cases.empty() || cases.size() > kMostRows)
        refuse(source, fmt::format("it has {} cases", cases.size()));
    const RowReader read{document, source};
    DecodeResult result{read.text("device"), read.text("dtype"), {}};
    for (size_t i = 0; i < cases.size(); ++i)
        result.rows.push_back(read_row(cases[i], fmt::format("{}: cases[{}]", source, i)));
    return result;
}

Figure build_decode_figure(const DecodeResult& result, const DecodeFigureSettings& settings) {
    std::vector<DecodeRow> rows = result.rows;
    std::vector<std::string> facts;
    ColumnGroups columns;
    Dimension over;
    for (const Dimension& dimension : dimensions(settings)) {
        if (dimension.over == settings.over)
            over = dimension;
        else
            facts.push_back(choose(dimension, rows));
    }
    if (!over.chosen.empty())
        throw UserError(
            fmt::format("{} and --over {} contradict each other", over.option, over.name),
            "leave one out");
    const KeyOf variant = [](const DecodeRow& row) { return row.variant; };
    columns.groups = values_of(rows, over.key);
    columns.members = values_of(rows, variant);
    columns.groups_column = over.name;
    columns.heights.assign(
        columns.members.size(),
        std::vector<double>(columns.groups.size(), std::numeric_limits<double>::quiet_NaN()));
    const auto index = [](const std::vector<std::string>& list, const std::string& value) {
        return static_cast<size_t>(std::find(list.begin(), list.end(), value) - list.begin());
    };
    for (const DecodeRow& row : rows)
        columns.heights[index(columns.members, row.variant)][index(columns.groups, over.key(row))] =
            height_of(row, settings.plot);
    columns.y = axis_of(settings.plot);
    Figure figure = draw_column_groups(columns);
    if (settings.over != DecodeOver::kSize) figure.x.label = over.name;
    figure.footnote =
        fmt::format("{} · {} · {}", fmt::join(facts, " · "), result.dtype, result.device);
    return figure;
}

}  // namespace headroom
