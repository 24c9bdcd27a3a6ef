#pragma once

#include <string>
#include <vector>

namespace headroom {

/// An option of a kind of figure, as a form offers it.
struct RecipeOption {
    std::string name;      ///< without "--"
    std::string help;      ///< one line
    std::string fallback;  ///< what counts where nothing is given; "" = see `help`
    bool is_switch = false;
    std::vector<std::string> choices = {};  ///< where it is one of a few words
    bool required = false;
};

/// A kind of figure that a study may have: a recipe of `headroom figure`.
struct RecipeInfo {
    std::string name, help;
    std::vector<RecipeOption> options;  ///< its own; size, title, theme and notes belong to all
};

}  // namespace headroom
