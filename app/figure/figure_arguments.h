#pragma once

#include <string>
#include <vector>

#include "app/figure/figure_recipe.h"

namespace headroom {

/// The arguments that all recipes share.
struct FigureArguments {
    std::vector<std::string> out;
    FigureRequest request;
    std::string theme = "light";
    int count_from = 0;  ///< what labels call the first layer and head
    bool no_notes = false;
    bool json = false;
};

/// Declares them; `arguments` must outlive the parsing.
void add_figure_options(CLI::App& command, FigureArguments& arguments);

/// What was asked for. UserError for a size or a theme that there is not.
FigureRequest checked_request(const FigureArguments& arguments);

}  // namespace headroom
