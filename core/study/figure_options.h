#pragma once

#include <array>
#include <string>
#include <vector>

namespace headroom {

/// The recipe whose figures are pages of others.
inline constexpr const char* kPanelsRecipe = "panels";

/// The kinds of files that a figure is written as: figures/NAME.ENDING.
inline constexpr std::array kFigureEndings{"pdf", "svg", "png", "csv"};

/// The recipes that a study's figures may name, sorted.
const std::vector<std::string>& study_recipes();

/// The long options of `headroom figure RECIPE` that a study may give. A study comes from anywhere,
/// so what names files (out, job, preset) or makes no sense there (json, help) is left out; a test
/// compares the lists with the recipes. REQUIRES: one of study_recipes().
std::vector<std::string> study_figure_options(const std::string& recipe);

/// Whether a recipe draws a run's log alone, and so also runs of other tools' logs, of which
/// nothing else is known.
bool draws_imported(const std::string& recipe);

/// Whether an option names a run: the one that the others are drawn against.
bool names_run(const std::string& option);

/// How wide and how high a figure may be, inches.
inline constexpr double kLeastFigureInches = 1, kMostFigureInches = 40;
/// UserError unless a figure may be so wide or high; `option` is its name, for people.
void check_figure_inches(const std::string& option, double inches);

}  // namespace headroom
