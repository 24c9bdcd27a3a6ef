#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "panels/figure/figure.h"

namespace CLI {
class App;
}

namespace headroom {

/// One kind of figure that `headroom figure RECIPE` draws. To add one, derive from this in a file
/// of its own and name it in figure_recipes(). Size, title, theme and output belong to all recipes
/// and are not its business.
class FigureRecipe {
  public:
    virtual ~FigureRecipe() = default;

    virtual std::string name() const = 0;
    virtual std::string help() const = 0;
    /// Declares the recipe's own arguments; their values go into its members.
    virtual void add_options(CLI::App& command) = 0;
    /// Reads what is needed and makes the figure. Throws UserError for what cannot be drawn.
    /// Facts for --json go into `report`.
    virtual Figure build(nlohmann::json& report) = 0;
};

/// All recipes, in the order of the help.
std::vector<std::unique_ptr<FigureRecipe>> figure_recipes();

}  // namespace headroom
