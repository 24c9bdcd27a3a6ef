#include "app/figure/figure_recipe.h"

#include "app/figure/architecture_recipe.h"
#include "app/figure/loss_recipe.h"
#include "app/figure/memory_recipe.h"

namespace headroom {

std::vector<std::unique_ptr<FigureRecipe>> figure_recipes() {
    std::vector<std::unique_ptr<FigureRecipe>> recipes;
    recipes.push_back(std::make_unique<LossRecipe>());
    recipes.push_back(std::make_unique<ArchitectureRecipe>());
    recipes.push_back(std::make_unique<MemoryRecipe>());
    return recipes;
}

}  // namespace headroom
