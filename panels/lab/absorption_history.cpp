#include "panels/lab/absorption_history.h"

#include <algorithm>
#include <cmath>
#include <map>

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

[[noreturn]] void refuse_history(const char* key) {
    throw UserError(fmt::format("the history has no {} that can be read", key),
                    "make it anew with `headroom absorb history`");
}

const Json& list_of(const Json& entry, const char* key) {
    if (!entry.is_object() || !entry.contains(key) || !entry[key].is_array()) refuse_history(key);
    return entry[key];
}

int64_t whole(const Json& entry, const char* key) {
    if (!entry.is_object() || !entry.contains(key) || !entry[key].is_number_integer())
        refuse_history(key);
    return entry[key].get<int64_t>();
}

bool has_number(const std::vector<double>& values) {
    for (const double value : values)
        if (std::isfinite(value)) return true;
    return false;
}

}  // namespace

AbsorptionHistory read_absorption_history(std::string_view json) {
    const Json document = parse_json(json, "the history");
    std::map<int64_t, LayerHistory> layers;
    for (const Json& at : list_of(document, "steps")) {
        const auto step = static_cast<double>(whole(at, "step"));
        for (const Json& mlp : list_of(at, "mlps")) {
            LayerHistory& one = layers[whole(mlp, "layer")];
            one.steps.push_back(step);
            one.residual.push_back(number_or_nan(mlp, "relative_residual"));
            one.distance.push_back(number_or_nan(mlp, "coefficient_distance"));
        }
    }
    AbsorptionHistory history;
    if (document.contains("run") && document["run"].is_string()) history.run = document["run"];
    for (auto& [layer, one] : layers) {
        one.layer = static_cast<int>(layer);
        history.layers.push_back(std::move(one));
    }
    return history;
}

Figure build_history_figure(const AbsorptionHistory& history, AbsorptionMeasure measure) {
    const bool residual = measure == AbsorptionMeasure::kResidual;
    Figure figure;
    figure.x = {.label = "step", .column = "step", .format = NumberFormat::kCount, .range = {}};
    figure.y.label = residual ? "left of the skip" : "distance of the coefficients from 0 or 1";
    figure.y.column = residual ? "residual" : "distance";
    double most_step = 1, most = 0;
    for (const LayerHistory& layer : history.layers) {
        const std::vector<double>& values = residual ? layer.residual : layer.distance;
        if (!has_number(values)) continue;
        FigureSeries series;
        series.id = series.name = fmt::format("layer {}", layer.layer);
        series.legend = fmt::format("layer {}", shown_number(layer.layer));
        series.role = "value";
        series.style = part_style(layer.layer);
        series.style.marker = Marker::kCircle;
        series.data = make_curve(layer.steps, values);
        figure.series.push_back(std::move(series));
        most_step = std::max(most_step, layer.steps.back());
        for (const double value : values)
            if (std::isfinite(value)) most = std::max(most, value);
    }
    figure.x.range = {0, 1.03 * most_step};  // the last marker in full
    figure.y.range = {0, most > 0 ? 1.05 * most : 1};
    figure.footnote =
        residual ? "Norm of what the best coefficients leave, over the skip's; 0: the MLP alone "
                   "could do without its skip"
                 : "Mean over the neurons; 0 together with nothing left of the skip: "
                   "the MLP alone could do without it";
    if (figure.series.empty())
        figure.empty_text = history.layers.empty()
                                ? "Over training shows every layer at every checkpoint of the run"
                                : "No layer has such a number: no weights of these MLPs could";
    return figure;
}

}  // namespace headroom
