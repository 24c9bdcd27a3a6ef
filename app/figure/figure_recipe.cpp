#include "app/figure/figure_recipe.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/study/run_folder.h"
#include "core/study/run_job.h"
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

FigurePage map_page(HeatmapFigure figure, const FigureRequest& request, nlohmann::json& report) {
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
    FigurePage page = heatmap_page(std::move(drawn), request.dark);
    page.csv = [figure = std::move(figure)] { return heatmap_csv(figure); };
    return page;
}

FigureRuns::FigureRuns(const std::vector<std::string>& words)
    : runs(read_runs(words, &left_out)), words_(words) {}

void FigureRuns::leave_imported(const std::string& what, const std::string& kept,
                                const std::function<bool(const Run&)>& knows_it) {
    unknown = what;
    const auto is_named = [&](const Run& run) {
        return run.id == kept || std::any_of(words_.begin(), words_.end(), [&](const auto& word) {
                   std::error_code ignored;
                   return std::filesystem::equivalent(word, run.folder, ignored);
               });
    };
    std::vector<RunPointer> others;
    for (const RunPointer& run : runs)
        if (!is_imported(RunFolder{run->folder}) || is_named(*run) || knows_it(*run))
            others.push_back(run);
        else
            imported.push_back(run->id);
    if (others.empty()) return imported.clear();  // what is drawn of all of them says why not
    runs = std::move(others);
}

void say_left_out(const std::vector<std::string>& ids, std::string& footnote,
                  nlohmann::json& report) {
    report["left_out"] = ids;
    if (ids.empty()) return;
    if (!footnote.empty()) footnote += " · ";
    footnote += fmt::format("left out, since {} cannot be read: {}",
                            ids.size() == 1 ? "its log" : "their logs", fmt::join(ids, ", "));
}

void say_left_out(const FigureRuns& read, std::string& footnote, nlohmann::json& report) {
    say_left_out(read.left_out, footnote, report);
    for (const std::string& id : read.imported) report["left_out"].push_back(id);
    if (read.imported.empty()) return;
    if (!footnote.empty()) footnote += " · ";
    footnote += fmt::format("left out, as imported without {}: {}", read.unknown,
                            fmt::join(read.imported, ", "));
}

}  // namespace headroom
