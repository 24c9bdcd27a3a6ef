#pragma once

#include <string>
#include <vector>

#include "app/figure/figure_recipe.h"

namespace headroom {

/// `headroom figure surgery REPORT.json…`: how far the residual streams of a model and of what a
/// surgery made of it are apart, layer by layer, in every precision.
class SurgeryRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "surgery"; }
    std::string help() const override;
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    std::vector<std::string> files_;
};

}  // namespace headroom
