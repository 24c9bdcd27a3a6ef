#pragma once

#include <string>
#include <vector>

#include "app/figure/figure_recipe.h"
#include "panels/probe/profile_view.h"

namespace headroom {

/// `headroom figure profile`: a number per layer against depth.
class ProfileRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "profile"; }
    std::string help() const override;
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    ProfileSettings settings() const;

    std::vector<std::string> words_;
    std::string what_, tensor_, heads_ = "mean", band_ = "min-max";
    int64_t step_ = -1;
    bool no_groups_ = false, log_y_ = false;
};

}  // namespace headroom
