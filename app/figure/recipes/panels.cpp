#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/figure/figure_recipe.h"
#include "app/figure/recipe_list.h"
#include "app/study/study_figures.h"
#include "core/base/error.h"
#include "core/study/figure_panels.h"
#include "core/study/study_folder.h"
#include "panels/base/numbering.h"
#include "panels/figure/panel_page.h"

namespace headroom {
namespace {

/// `headroom figure panels STUDY FIGURE FIGURE…`: figures of a study on one page.
class PanelsRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "panels"; }
    std::string help() const override;
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    std::string study_;
    std::vector<std::string> figures_;
    int columns_ = 2;
};

/// The panel's recipe in the size, theme and numbering of the page.
StudyFigure fitted(StudyFigure panel, const PanelGrid& grid, const FigureRequest& request,
                   int rows) {
    panel.options["width"] = fmt::format("{}", panel_width_in(grid));
    panel.options.erase("height");
    if (request.height_in)
        panel.options["height"] =
            fmt::format("{}", panel_height_in(grid, rows, *request.height_in));
    panel.options["theme"] = request.dark ? "dark" : "light";
    if (!request.notes) panel.options["no-notes"] = "true";
    panel.options.try_emplace("count-from", std::to_string(numbering_base()));
    return panel;
}

FigurePage drawn(const StudyFigure& panel, const std::filesystem::path& study_dir) {
    try {
        const std::vector<std::string> arguments = recipe_arguments(panel, study_dir);
        if (arguments.empty())
            throw UserError("none of its runs has begun", "train one of them first");
        return draw_recipe(arguments);
    } catch (const UserError& error) {
        throw UserError(fmt::format("the panel {}: {}", panel.name, error.what()));
    }
}

}  // namespace

std::string PanelsRecipe::help() const {
    return "Figures of a study on one page, with the letters (a), (b), …, each drawn at the width "
           "of its column; 6.75 inches wide unless told otherwise";
}

void PanelsRecipe::add_options(CLI::App& command) {
    command.add_option("STUDY", study_, "The study folder")->required();
    command.add_option("FIGURE", figures_, "Names of its figures, row by row")->required();
    command.add_option("--columns", columns_, "Panels in a row")
        ->check(CLI::Range(1, 6))
        ->capture_default_str();
}

FigurePage PanelsRecipe::build(const FigureRequest& request, nlohmann::json& report) {
    const std::filesystem::path folder = study_;
    const Study study = load_study(StudyFolder{folder}.plan());
    const std::vector<StudyFigure> panels = panels_of(figures_, study.figures, "the page");
    const auto count = static_cast<int>(panels.size());
    const PanelGrid grid{std::min(columns_, count), request.width_in.value_or(6.75), request.title,
                         request.dark};
    const int rows = (count + grid.columns - 1) / grid.columns;
    std::vector<FigurePage> pages;
    report["panels"] = nlohmann::json::array();
    for (const StudyFigure& panel : panels) {
        pages.push_back(drawn(fitted(panel, grid, request, rows), folder));
        report["panels"].push_back({{"figure", panel.name},
                                    {"recipe", panel.recipe},
                                    {"width_in", pages.back().width_in},
                                    {"height_in", pages.back().height_in}});
    }
    return panel_page(std::move(pages), grid);
}

std::unique_ptr<FigureRecipe> make_panels_recipe() {
    return std::make_unique<PanelsRecipe>();
}

}  // namespace headroom
