#include "panels/lab/absorption_answers.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_numbers.h"
#include "core/base/json_text.h"
#include "panels/base/numbering.h"
#include "panels/figure/palette.h"

namespace headroom {
namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse(const char* key) {
    throw UserError(fmt::format("the answer has no {} that can be read", key), "decide again");
}

std::string word(const Json& entry, const char* key) {
    const Json value = entry.value(key, Json());
    if (!value.is_string()) refuse(key);
    return value.get<std::string>();
}

AbsorptionAnswer read_answer(const Json& entry) {
    if (!entry.is_object()) refuse("entry");
    AbsorptionAnswer answer{.decision = word(entry, "decision"),
                            .relative_residual = number_or_nan(entry, "relative_residual"),
                            .distance = number_or_nan(entry, "coefficient_distance"),
                            .theorem = word(entry, "theorem"),
                            .reason = word(entry, "reason")};
    if (entry.contains("mlp_alone")) answer.mlp_alone = word(entry, "mlp_alone");
    const Json layer = entry.value("layer", Json());
    if (layer.is_number_integer()) answer.layer = layer.get<int>();
    const Json coefficients = entry.value("coefficients", Json::array());
    if (!coefficients.is_array()) refuse("coefficients");
    for (const Json& one : coefficients) {
        if (!one.is_number()) refuse("coefficients");
        answer.coefficients.push_back(one.get<double>());
    }
    std::sort(answer.coefficients.begin(), answer.coefficients.end());
    return answer;
}

FigureSeries series_of(const AbsorptionAnswer& answer) {
    FigureSeries series;
    series.id = fmt::format("layer {}", answer.layer);
    series.name = answer.layer < 0 ? "MLP" : series.id;
    series.legend = answer.layer < 0 ? "MLP" : fmt::format("layer {}", shown_number(answer.layer));
    series.role = "value";
    series.style = part_style(std::max(answer.layer, 0));
    std::vector<double> x;
    for (size_t i = 0; i < answer.coefficients.size(); ++i)
        x.push_back(static_cast<double>(i + 1) / static_cast<double>(answer.coefficients.size()));
    series.data = make_curve(std::move(x), answer.coefficients);
    return series;
}

}  // namespace

std::vector<AbsorptionAnswer> read_absorption(std::string_view json) {
    const Json document = parse_json(json, "the worker's answer");
    const Json mlps =
        document.is_object() ? document.value("mlps", Json::array({document})) : Json();
    if (!mlps.is_array()) refuse("mlps");
    std::vector<AbsorptionAnswer> answers;
    for (const Json& entry : mlps) answers.push_back(read_answer(entry));
    return answers;
}

Figure build_absorption_figure(const std::vector<AbsorptionAnswer>& answers) {
    Figure figure;
    figure.x = {.label = "share of the neurons", .column = "share", .range = {0, 1}};
    figure.y.label = figure.y.column = "coefficient";
    double least = -0.1, most = 1.1;
    for (size_t i = 0; i < answers.size(); ++i) {
        if (answers[i].coefficients.empty()) continue;
        figure.series.push_back(series_of(answers[i]));
        least = std::min(least, answers[i].coefficients.front());
        most = std::max(most, answers[i].coefficients.back());
    }
    figure.y.range = {least, most};
    figure.rules = {{.at = 0, .label = "0 or 1"}, {.at = 1, .label = ""}};
    figure.footnote =
        "Coefficients of the neurons' rank-one matrices in the best combination that gives minus "
        "the skip, in rising order";
    if (figure.series.empty())
        figure.empty_text = answers.empty() ? "Decide to see the coefficients of every layer"
                                            : "No layer has coefficients: see the answers";
    return figure;
}

}  // namespace headroom
