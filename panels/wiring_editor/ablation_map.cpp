#include "panels/wiring_editor/ablation_map.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/log/array_file.h"
#include "core/probe/probe_datasets.h"
#include "core/probe/probe_file.h"
#include "panels/wiring_editor/rewire_figure.h"

namespace headroom {

namespace {

std::vector<double> rises(const AblationMap& map, Ablation ablation) {
    std::vector<double> values = ablation == Ablation::kZero   ? map.zero
                                 : ablation == Ablation::kMean ? map.mean
                                                               : map.resampled;
    for (double& value : values) value -= map.loss;
    return values;
}

Range with_room(const std::vector<double>& values) {
    if (values.empty()) return {};
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const double room = *most > *least ? 0.05 * (*most - *least) : 0.5;
    return {*least - room, *most + room};
}

}  // namespace

AblationMap read_ablation_map(const std::filesystem::path& path) {
    const ArrayFile file(path);
    const ProbeHeader header = read_probe_header(file);
    const Shape shape{header.model.n_layer, header.model.n_head};
    const auto read = [&](const std::string& name) {
        const std::string array = ablation_path(name);
        if (file.type(array).shape != shape)
            throw UserError(
                fmt::format("{}: {} is not of the model in its header", path.string(), array),
                "probe the run anew with headroom probe ablation");
        return file.read_all<double>(array);
    };
    AblationMap map;
    map.run = header.run;
    map.step = header.step;
    map.n_layer = static_cast<int>(shape[0]);
    map.n_head = static_cast<int>(shape[1]);
    map.zero = read("zero");
    map.mean = read("mean");
    map.resampled = read("resampled");
    map.similarity = read("similarity");
    map.loss = file.read_number(kAblationLoss);
    return map;
}

HeatmapFigure ablation_figure(const AblationMap& map, Ablation ablation) {
    HeatmapPanel panel;
    panel.name = "without it";
    panel.row_axis = numbered_axis("layer", map.n_layer);
    panel.column_axis = numbered_axis("head", map.n_head);
    panel.rows = map.n_layer;
    panel.columns = map.n_head;
    panel.values = make_column(rises(map, ablation));
    panel.mask = HeatmapMask::kUnknown;
    HeatmapFigure figure;
    figure.value_label = "nats more";
    figure.value_column = "rise";
    figure.panels = {panel};
    figure.scale = make_color_scale({.map = ColorMap::kVik}, unmasked_values(figure.panels));
    return figure;
}

Figure importance_figure(const AblationMap& map, Ablation ablation) {
    const std::vector<double> rise = rises(map, ablation);
    std::vector<size_t> order;
    for (size_t i = 0; i < rise.size(); ++i)
        if (std::isfinite(rise[i]) && std::isfinite(map.similarity[i])) order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return map.similarity[a] < map.similarity[b]; });
    std::vector<double> x, y;
    for (const size_t i : order) {
        x.push_back(map.similarity[i]);
        y.push_back(rise[i]);
    }
    Figure figure;
    figure.x.label = "largest cosine with a head of its layer";
    figure.x.column = "similarity";
    figure.y.label = "nats more without the head";
    figure.y.column = "rise";
    figure.x.range = with_room(x);
    figure.y.range = with_room(y);
    figure.legend = LegendPlace::kNone;
    figure.empty_text = "No head has another beside it in its layer.";
    if (order.empty()) return figure;
    FigureSeries heads;
    heads.id = heads.name = "heads";
    heads.role = "value";
    heads.style.line = false;
    heads.style.marker = Marker::kCircle;
    heads.data = make_curve(std::move(x), std::move(y));
    figure.series = {heads};
    figure.rules = {{true, 0, ""}};
    return figure;
}

}  // namespace headroom
