#include "panels/experts/experts_view.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/model/router_numbers.h"
#include "panels/base/number_format.h"
#include "panels/base/numbering.h"
#include "panels/study/model_words.h"
#include "panels/study/run_source.h"

namespace headroom {
namespace {

const ScalarSeries* find_scalar(const Run& run, const std::string& name) {
    const auto found = run.series->scalars.find(name);
    return found == run.series->scalars.end() ? nullptr : &found->second;
}

/// The shares of one layer's experts; empty where the log has not all of them.
std::vector<const ScalarSeries*> shares_of(const Run& run, int64_t layer) {
    std::vector<const ScalarSeries*> shares;
    for (int64_t e = 0; e < run.job->model.mlp_experts.at(layer); ++e) {
        shares.push_back(find_scalar(run, router_share_name(layer, e)));
        if (shares.back() == nullptr) return {};
    }
    return shares;
}

/// Evaluations that every expert of the layer has a row of.
size_t rows_of(const std::vector<const ScalarSeries*>& shares) {
    size_t rows = shares.empty() ? 0 : shares.front()->value.size();
    for (const ScalarSeries* share : shares)
        rows = std::min({rows, share->value.size(), share->step.size()});
    return rows;
}

/// Evenly over all rows, the last among them.
std::vector<size_t> chosen_rows(size_t rows) {
    const size_t count = std::min(rows, kMostEvaluationColumns);
    std::vector<size_t> chosen;
    for (size_t i = 1; i <= count; ++i) chosen.push_back(i * rows / count - 1);
    return chosen;
}

HeatmapAxis expert_axis(int64_t count) {
    HeatmapAxis axis{"expert"};
    for (int64_t e = 0; e < count; ++e) axis.names.push_back(fmt::format("{}", shown_number(e)));
    return axis;
}

/// Experts over evaluations; no rows where there are none.
HeatmapPanel steps_of_layer(const Run& run, int64_t layer) {
    const std::vector<const ScalarSeries*> shares = shares_of(run, layer);
    const std::vector<size_t> rows = chosen_rows(rows_of(shares));
    HeatmapPanel panel;
    panel.name = fmt::format("layer {}", shown_number(layer));
    panel.rows = rows.empty() ? 0 : std::ssize(shares);
    panel.columns = std::ssize(rows);
    panel.row_axis = expert_axis(panel.rows);
    panel.column_axis = {.label = "step", .turned = true};
    for (const size_t row : rows)
        panel.column_axis.names.push_back(format_integer(shares.front()->step[row]));
    std::vector<double> values;
    for (int64_t e = 0; e < panel.rows; ++e)
        for (const size_t row : rows)
            values.push_back(static_cast<double>(shares[static_cast<size_t>(e)]->value[row]));
    panel.values = make_column(std::move(values));
    return panel;
}

/// Layers with a router against experts, as the last evaluation found them.
HeatmapPanel layers_of_run(const Run& run) {
    const ModelConfig& model = run.job->model;
    HeatmapPanel panel;
    panel.name = run.name;
    panel.mask = HeatmapMask::kUnknown;  // layers with fewer experts than others
    panel.row_axis = {"layer"};
    for (const int64_t layer : model.router_layers())
        panel.columns = std::max(panel.columns, model.mlp_experts.at(layer));
    std::vector<double> values;
    for (const int64_t layer : model.router_layers()) {
        const std::vector<const ScalarSeries*> shares = shares_of(run, layer);
        const size_t rows = rows_of(shares);
        if (rows == 0) continue;
        ++panel.rows;
        panel.row_axis.names.push_back(fmt::format("{}", shown_number(layer)));
        for (int64_t e = 0; e < panel.columns; ++e)
            values.push_back(
                e < std::ssize(shares)
                    ? static_cast<double>(shares[static_cast<size_t>(e)]->value[rows - 1])
                    : std::nan(""));
    }
    panel.column_axis = expert_axis(panel.columns);
    panel.values = make_column(std::move(values));
    return panel;
}

/// "1.25 % dropped, balance 1.02, entropy 1.9 nats" at the last evaluation.
std::string measures_text(const Run& run) {
    const auto last = [&](const char* what) {
        const ScalarSeries* series = find_scalar(run, router_mean_name(what));
        return series == nullptr || series->value.empty()
                   ? std::nan("")
                   : static_cast<double>(series->value[series->value.size() - 1]);
    };
    const ModelConfig& model = run.job->model;
    int64_t least = kMostExperts, most = 1;
    for (const int64_t layer : model.router_layers()) {
        least = std::min(least, model.mlp_experts.at(layer));
        most = std::max(most, model.mlp_experts.at(layer));
    }
    const std::string even =
        least == most ? fmt::format("even share {:.4g}", 1.0 / static_cast<double>(most))
                      : fmt::format("even shares {:.4g} to {:.4g}", 1.0 / static_cast<double>(most),
                                    1.0 / static_cast<double>(least));
    return fmt::format("{} · {:.2f} % dropped · balance {:.4g} · entropy {:.3g} nats", even,
                       100 * last("dropped"), last("balance"), last("entropy"));
}

/// Why there is no map.
std::string why_empty(std::span<const RunPointer> runs) {
    if (runs.empty()) return "No run is selected.";
    bool any = false, many = false;
    std::string unknown;
    for (const RunPointer& run : runs) {
        if (run->job == nullptr && unknown.empty()) unknown = why_no_model(*run);
        if (run->job == nullptr || !run->job->model.has_experts()) continue;
        any = true;
        many = many || !logs_expert_shares(run->job->model);
    }
    if (!any && !unknown.empty()) return unknown;
    if (!any)
        return "What is selected has no experts (model.mlp_experts = 1); select a run that has.";
    if (many) return "So many experts are logged by their largest and smallest share alone.";
    return "No evaluation has told what the routers do yet (train.eval_every).";
}

}  // namespace

std::string_view name_of(ExpertMap map) {
    return map == ExpertMap::kSteps ? "steps" : "layers";
}

HeatmapFigure build_experts(std::span<const RunPointer> runs, ExpertMap map) {
    HeatmapFigure figure;
    figure.value_label = "share of assignments";
    figure.value_column = "share";
    std::vector<std::string> notes;
    for (const RunPointer& run : runs) {
        if (run->job == nullptr || !run->job->model.has_experts()) continue;
        std::vector<HeatmapPanel> panels;
        if (map == ExpertMap::kLayers)
            panels.push_back(layers_of_run(*run));
        else
            for (const int64_t layer : run->job->model.router_layers())
                panels.push_back(steps_of_layer(*run, layer));
        const size_t before = figure.panels.size();
        for (HeatmapPanel& panel : panels) {
            if (panel.rows == 0) continue;
            if (runs.size() > 1 && map == ExpertMap::kSteps)
                panel.name = run->name + ", " + panel.name;
            figure.panels.push_back(std::move(panel));
        }
        if (figure.panels.size() == before) continue;
        figure.sources.push_back(figure_source(*run));
        notes.push_back((runs.size() > 1 ? run->name + ": " : "") + measures_text(*run));
    }
    figure.footnote = fmt::format("{}", fmt::join(notes, " | "));
    // Elsewhere the maps have the names of their runs.
    if (runs.size() == 1 && map == ExpertMap::kSteps && !figure.panels.empty())
        figure.title = runs.front()->name;
    if (figure.panels.empty()) {
        figure.empty_text = why_empty(runs);
        return figure;
    }
    const std::vector<double> shares = unmasked_values(figure.panels);
    ColorChoice choice;
    choice.mode = RangeMode::kFixed;
    choice.upper = std::max(1e-6, *std::max_element(shares.begin(), shares.end()));
    figure.scale = make_color_scale(choice, shares);
    return figure;
}

}  // namespace headroom
