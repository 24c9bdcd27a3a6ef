#pragma once

#include <string>

#include "app/figure/figure_recipe.h"

namespace headroom {

/// `headroom figure lab RESULT.json`: a chart of an experiment of the laboratory.
class LabRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "lab"; }
    std::string help() const override;
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    std::string file_, chart_;
};

}  // namespace headroom
