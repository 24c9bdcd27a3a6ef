#include "app/figure/figure_recipe.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "panels/figure/figure_export.h"
#include "panels/study/run_arguments.h"

namespace headroom {

FigurePage chart_page(Figure figure, const FigureRequest& request) {
    constexpr double kHeightShare = 0.62, kLeastHeight = 2.4;
    figure.title = request.title;
    figure.width_in = request.width_in.value_or(kTextWidthIn);
    figure.height_in =
        request.height_in.value_or(std::max(figure.width_in * kHeightShare, kLeastHeight));
    Figure drawn = figure;
    if (!request.notes) drawn.footnote.clear();
    FigurePage page = make_page(std::move(drawn), request.dark);
    page.csv = make_page(std::move(figure), request.dark).csv;  // the notes stay in the data
    return page;
}

FigurePage map_page(HeatmapFigure figure, const FigureRequest& request, nlohmann::json& report,
                    const DrawMaps& draw) {
    figure.title = request.title;
    figure.width_in = request.width_in.value_or(kTextWidthIn);
    figure.height_in = request.height_in.value_or(0);
    report["maps"] = nlohmann::json::array();
    for (const HeatmapPanel& panel : figure.panels)
        report["maps"].push_back(
            {{"name", panel.name}, {"rows", panel.rows}, {"columns", panel.columns}});
    report["colors"] = color_map_name(figure.scale.map);
    report["range"] = {figure.scale.lower, figure.scale.upper};
    report["notes"] = figure.footnote;
    HeatmapFigure drawn = figure;
    if (!request.notes) drawn.footnote.clear();
    FigurePage page = draw(std::move(drawn), request.dark);
    page.csv = [figure = std::move(figure)] { return heatmap_csv(figure); };
    return page;
}

FigureRuns::FigureRuns(const std::vector<std::string>& words) : runs(read_runs(words, &left_out)) {}

void say_left_out(const std::vector<std::string>& ids, std::string& footnote,
                  nlohmann::json& report) {
    report["left_out"] = ids;
    if (ids.empty()) return;
    if (!footnote.empty()) footnote += " · ";
    footnote += fmt::format("left out, since {} cannot be read: {}",
                            ids.size() == 1 ? "its log" : "their logs", fmt::join(ids, ", "));
}

}  // namespace headroom
