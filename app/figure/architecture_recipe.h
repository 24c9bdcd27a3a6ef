#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/figure/figure_recipe.h"

namespace headroom {

/// `headroom figure architecture (--preset NAME | --job FILE | RUN…)`: pictures of models.
class ArchitectureRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "architecture"; }
    std::string help() const override;
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    std::vector<std::string> presets_, jobs_, runs_, sets_;
    std::optional<int> layer_;
    bool all_layers_ = false, mark_differences_ = false;
};

}  // namespace headroom
