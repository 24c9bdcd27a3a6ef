#include "app/figure/recipe_list.h"

#include <QImage>
#include <algorithm>
#include <utility>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <qcustomplot.h>

#include "app/figure/figure_arguments.h"
#include "app/help/command_page.h"
#include "core/base/error.h"
#include "core/study/figure_options.h"
#include "panels/base/numbering.h"

namespace headroom {
namespace {

/// The words that an option may be; none where others are right, too.
std::vector<std::string> choices_of(const CommandPage& page, const std::string& option) {
    for (const OptionPage& each : page.options)
        if (std::find(each.names.begin(), each.names.end(), "--" + option) != each.names.end())
            return each.choices;
    return {};
}

RecipeInfo info_of(FigureRecipe& recipe) {
    RecipeInfo info{recipe.name(), recipe.help(), {}};
    CLI::App own;
    recipe.add_options(own);
    const CommandPage page = describe_command(own);
    const std::vector<std::string> known = study_figure_options(info.name);
    for (const CLI::Option* option : own.get_options()) {
        const std::string name = option->get_lnames().empty() ? "" : option->get_lnames().front();
        if (std::find(known.begin(), known.end(), name) == known.end()) continue;
        info.options.push_back({name, option->get_description(), option->get_default_str(),
                                option->get_items_expected_max() == 0, choices_of(page, name),
                                option->get_required()});
    }
    return info;
}

/// What is drawn later counts as what was built.
FigurePage counted(int base, FigurePage page) {
    page.paint = [base, paint = std::move(page.paint)](QCPPainter& painter) {
        const NumberingScope numbers(base);
        paint(painter);
    };
    page.image = [base, image = std::move(page.image)](double scale) {
        const NumberingScope numbers(base);
        return image(scale);
    };
    return page;
}

/// The recipe that the arguments begin with, which has taken in its options.
std::unique_ptr<FigureRecipe> parsed_recipe(const std::vector<std::string>& arguments,
                                            FigureArguments& shared) {
    CLI::App app;
    auto recipes = figure_recipes();
    const auto chosen = std::find_if(recipes.begin(), recipes.end(), [&](const auto& recipe) {
        return !arguments.empty() && recipe->name() == arguments.front();
    });
    CHECK(chosen != recipes.end(), "the recipe is not known");
    (*chosen)->add_options(app);
    add_figure_options(app, shared);
    std::vector<std::string> words(arguments.rbegin(),
                                   arguments.rend() - 1);  // CLI11 reads backwards
    try {
        app.parse(words);
    } catch (const CLI::ParseError& error) {
        throw UserError(error.what());
    }
    return std::move(*chosen);
}

}  // namespace

std::vector<RecipeInfo> study_recipe_infos() {
    const std::vector<std::string>& names = study_recipes();
    std::vector<RecipeInfo> infos;
    for (const auto& recipe : figure_recipes())
        if (std::find(names.begin(), names.end(), recipe->name()) != names.end())
            infos.push_back(info_of(*recipe));
    return infos;
}

void check_recipe(const std::vector<std::string>& arguments) {
    FigureArguments shared;
    parsed_recipe(arguments, shared);
    checked_request(shared);
}

FigurePage draw_recipe(const std::vector<std::string>& arguments) {
    FigureArguments shared;
    const std::unique_ptr<FigureRecipe> recipe = parsed_recipe(arguments, shared);
    nlohmann::json report;
    const NumberingScope numbers(shared.count_from);
    return counted(shared.count_from, recipe->build(checked_request(shared), report));
}

}  // namespace headroom
