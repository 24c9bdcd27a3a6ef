#include "panels/uptrain/initial_losses.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/conversions.h"
#include "panels/base/number_format.h"
#include "panels/figure/column_groups.h"
#include "panels/loss/compute_share.h"

namespace headroom {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostMethods = 100;

[[noreturn]] void refuse_losses(const std::string& source, const std::string& what) {
    throw UserError(source + ": " + what,
                    "give what `headroom convert uptrain --compare DATA --json` printed");
}

/// As the paper writes it.
std::string title_of(const std::string& method) {
    for (const Conversion& conversion : conversions())
        if (method == conversion.name) return std::string(conversion.title);
    return method;
}

InitialLosses::Method read_method(const Json& row, const std::string& where) {
    if (!row.is_object() || !row.contains("method") || !row["method"].is_string() ||
        row["method"].get_ref<const std::string&>().size() > 100)
        refuse_losses(where, "it names no method");
    if (!row.contains("loss") || !row["loss"].is_number() ||
        !(row["loss"].get<double>() >= 0 && row["loss"].get<double>() < 1e6))
        refuse_losses(where, "its loss is no number from zero up");
    return {row["method"].get<std::string>(), row["loss"].get<double>()};
}

}  // namespace

InitialLosses read_initial_losses(const Json& document, const std::string& source) {
    if (!document.is_object() || !document.contains("compare") || !document["compare"].is_object())
        refuse_losses(source, "it compares nothing");
    const Json& compare = document["compare"];
    const auto rows = compare.find("losses");
    if (rows == compare.end() || !rows->is_array() || rows->size() < 2 ||
        rows->size() > kMostMethods)
        refuse_losses(source, "it has no list of losses");
    if (!compare.contains("tokens") || !compare["tokens"].is_number_integer())
        refuse_losses(source, "it does not say over how many tokens");
    InitialLosses losses;
    losses.tokens = compare["tokens"].get<int64_t>();
    for (size_t i = 0; i < rows->size(); ++i) {
        auto method = read_method((*rows)[i], fmt::format("{}: losses[{}]", source, i));
        if (i == 0)
            losses.source = method.loss;
        else
            losses.methods.push_back(std::move(method));
    }
    return losses;
}

InitialLosses initial_losses_of_runs(const std::vector<RunPointer>& runs,
                                     const RunPointer& original) {
    const std::optional<double> source = loss_reference(original).final_loss;
    if (!source)
        throw UserError(original->name + " has no validation loss", "evaluate it while it trains");
    InitialLosses losses{*source, {}, 0};
    for (const RunPointer& run : runs) {
        if (run == original) continue;
        const ValSeries& val = run->series->val;
        if (val.step.empty() || val.step.front() != 0 || !std::isfinite(val.loss.front()))
            throw UserError(run->name + " has no validation loss before its first step",
                            "train it with validation data, or leave it out");
        losses.methods.push_back({run->name, val.loss.front()});
    }
    if (losses.methods.empty())
        throw UserError("there is nothing to compare with " + original->name,
                        "name the runs that were trained on from it");
    return losses;
}

Figure build_initial_losses(const InitialLosses& losses) {
    ColumnGroups columns;
    columns.members = {"initial loss"};
    columns.heights.resize(1);
    for (const InitialLosses::Method& method : losses.methods) {
        columns.groups.push_back(title_of(method.name));
        columns.heights[0].push_back(method.loss);
    }
    columns.groups_column = "method";
    columns.y = {"initial loss (nats per token)", "loss", {}, {}, {}};
    columns.decimals = 3;
    Figure figure = draw_column_groups(columns);
    figure.rules.push_back({true, losses.source, "before the conversion"});
    figure.legend = LegendPlace::kBelow;
    if (losses.tokens > 0)
        figure.footnote = fmt::format("over {} tokens", format_integer(losses.tokens));
    return figure;
}

}  // namespace headroom
