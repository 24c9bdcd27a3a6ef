#include "app/figure/figure_recipe.h"

#include <algorithm>
#include <utility>

#include "app/figure/architecture_recipe.h"
#include "app/figure/attention_recipe.h"
#include "app/figure/decode_recipe.h"
#include "app/figure/lab_recipe.h"
#include "app/figure/loss_recipe.h"
#include "app/figure/memory_recipe.h"
#include "app/figure/probe_recipe.h"
#include "app/figure/profile_recipe.h"
#include "app/figure/similarity_recipe.h"
#include "app/figure/surgery_recipe.h"
#include "app/figure/uptrain_recipe.h"
#include "panels/figure/figure_export.h"

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

std::vector<std::unique_ptr<FigureRecipe>> figure_recipes() {
    std::vector<std::unique_ptr<FigureRecipe>> recipes;
    recipes.push_back(std::make_unique<LossRecipe>());
    recipes.push_back(std::make_unique<ArchitectureRecipe>());
    recipes.push_back(std::make_unique<MemoryRecipe>());
    recipes.push_back(std::make_unique<DecodeRecipe>());
    recipes.push_back(std::make_unique<UptrainRecipe>());
    recipes.push_back(std::make_unique<LabRecipe>());
    recipes.push_back(std::make_unique<SurgeryRecipe>());
    recipes.push_back(std::make_unique<AttentionRecipe>());
    recipes.push_back(std::make_unique<SimilarityRecipe>());
    recipes.push_back(std::make_unique<ProfileRecipe>());
    recipes.push_back(std::make_unique<ProbeRecipe>());
    return recipes;
}

}  // namespace headroom
