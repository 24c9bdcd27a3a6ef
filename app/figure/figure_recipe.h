#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "panels/figure/figure.h"
#include "panels/figure/heatmap_page.h"
#include "panels/figure/page_export.h"
#include "panels/study/run.h"

namespace CLI {
class App;
}

namespace headroom {

/// What all recipes are asked for alike.
struct FigureRequest {
    std::optional<double> width_in, height_in;
    std::string title;
    bool dark = false;
    bool notes = true;  ///< small print in the picture; the CSV always has it
};

/// A chart as the request wants it: at least 2.4 inches high unless told otherwise, notes in the
/// CSV also where the picture leaves them out.
FigurePage chart_page(Figure figure, const FigureRequest& request);

/// The same of maps. Their names and sizes, colours, range and notes go into `report`.
FigurePage map_page(HeatmapFigure figure, const FigureRequest& request, nlohmann::json& report);

/// The runs that a recipe's words name. Those of a study whose log cannot be read are left out,
/// which the figure has to say.
struct FigureRuns {
    explicit FigureRuns(const std::vector<std::string>& words);

    /// Leaves out what was imported and does not know `what`, since nobody named it: a study alone
    /// has brought it in, and it is not `kept`, the id of a run that an option names. Where no run
    /// would be left, all stay.
    void leave_imported(const std::string& what, const std::string& kept,
                        const std::function<bool(const Run&)>& knows_it);

    std::vector<std::string> left_out;  ///< ids
    std::vector<RunPointer> runs;
    std::vector<std::string> imported;  ///< ids of those that leave_imported() left out
    std::string unknown;                ///< what these do not know

  private:
    std::vector<std::string> words_;
};

/// Says in the small print and in `report` which runs are left out.
void say_left_out(const std::vector<std::string>& ids, std::string& footnote,
                  nlohmann::json& report);
void say_left_out(const FigureRuns& read, std::string& footnote, nlohmann::json& report);

/// One kind of figure that `headroom figure RECIPE` draws. To add one, derive from this in a file
/// app/figure/recipes/NAME.cpp, which ends with
///     std::unique_ptr<FigureRecipe> make_NAME_recipe() { return std::make_unique<NameRecipe>(); }
/// and is found there; what a study may ask of it stands in core/study/figure_options.cpp. The
/// options for size, title, theme and output belong to all recipes and come as a FigureRequest.
class FigureRecipe {
  public:
    virtual ~FigureRecipe() = default;

    virtual std::string name() const = 0;
    virtual std::string help() const = 0;
    /// Declares the recipe's own arguments; their values go into its members.
    virtual void add_options(CLI::App& command) = 0;
    /// Reads what is needed and makes the page. Throws UserError for what cannot be drawn.
    /// Facts for --json go into `report`.
    virtual FigurePage build(const FigureRequest& request, nlohmann::json& report) = 0;
};

/// All recipes, sorted by name.
std::vector<std::unique_ptr<FigureRecipe>> figure_recipes();

}  // namespace headroom
