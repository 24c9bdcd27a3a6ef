#pragma once

#include <memory>
#include <vector>

#include "panels/figure/page_export.h"
#include "panels/figures/recipe_info.h"

namespace headroom {

/// The recipes that a study may use, with their options as `headroom figure RECIPE --help` has
/// them.
std::vector<RecipeInfo> study_recipe_infos();

/// UserError if `headroom figure` would not understand these arguments: an option that there is
/// not, a word where it wants a number. What only the runs tell is not looked at.
void check_recipe(const std::vector<std::string>& arguments);

/// The page that `headroom figure` would write for these arguments, which begin with the recipe.
/// Reads what it needs. Throws UserError as the command does. UI thread only.
FigurePage draw_recipe(const std::vector<std::string>& arguments);

}  // namespace headroom
