#include "core/study/figure_options.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "core/base/error.h"

namespace headroom {
namespace {

using Words = std::vector<std::string>;

/// What all recipes understand.
const Words kShared{"count-from", "height", "no-notes", "theme", "title", "width"};

const std::map<std::string, Words>& own_options() {
    static const std::map<std::string, Words> options{
        {"architecture", {"all-layers", "layer", "mark-differences"}},
        {"attention",
         {"atlas", "cells", "colors", "difference", "head", "heat", "layer", "logits", "most-cells",
          "picture", "query", "range", "scale", "step"}},
        {"experts", {"over"}},
        {"loss",
         {"band", "ignore-outliers", "logx", "logy", "metric", "no-legend", "no-raw", "reference",
          "relative-to", "rules", "series", "smooth", "smooth-val", "unit", "x", "x-range",
          "y-range"}},
        {"memory", {"arch", "batch", "context", "dtype", "for", "plot", "scale"}},
        {kPanelsRecipe, {"columns"}},
        {"pareto", {"at", "band", "logx", "measure", "reference", "relative-to", "x"}},
        {"probe", {"band", "deep-only", "fit", "series", "step"}},
        {"profile", {"band", "heads", "logy", "no-groups", "step", "tensor", "what"}},
        {"results",
         {"band", "by", "logx", "logy", "measure", "published", "reference", "relative-to", "x"}},
        {"similarity",
         {"colors", "layer", "no-diagonal", "range", "scale", "step", "tensor", "what"}},
        {"uptrain", {"reference"}},
        {"wiring", {"color", "table"}}};
    return options;
}

}  // namespace

const std::vector<std::string>& study_recipes() {
    static const Words names = [] {
        Words all;
        for (const auto& [recipe, options] : own_options()) all.push_back(recipe);
        return all;
    }();
    return names;
}

std::vector<std::string> study_figure_options(const std::string& recipe) {
    const auto own = own_options().find(recipe);
    CHECK(own != own_options().end(), "no recipe of studies: " + recipe);
    Words all = own->second;
    all.insert(all.end(), kShared.begin(), kShared.end());
    std::sort(all.begin(), all.end());
    return all;
}

bool draws_imported(const std::string& recipe) {
    return recipe == "loss";
}

bool names_run(const std::string& option) {
    return option == "reference" || option == "relative-to";
}

void check_figure_inches(const std::string& option, double inches) {
    if (inches >= kLeastFigureInches && inches <= kMostFigureInches) return;
    throw UserError(fmt::format("{} {} is out of range", option, inches),
                    fmt::format("give {} to {} inches", kLeastFigureInches, kMostFigureInches));
}

}  // namespace headroom
