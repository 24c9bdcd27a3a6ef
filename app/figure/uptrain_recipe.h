#pragma once

#include <string>
#include <vector>

#include "app/figure/figure_recipe.h"

namespace headroom {

/// `headroom figure uptrain (RESULT.json | RUN…)`: what each conversion costs before any training.
class UptrainRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "uptrain"; }
    std::string help() const override;
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    std::vector<std::string> words_;
    std::string reference_;
};

}  // namespace headroom
