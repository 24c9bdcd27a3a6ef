#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/figure/figure_recipe.h"
#include "panels/probe/similarity_view.h"

namespace headroom {

/// `headroom figure similarity`: maps of runs side by side on one scale.
class SimilarityRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "similarity"; }
    std::string help() const override;
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    SimilaritySettings settings() const;

    std::vector<std::string> words_;
    std::string what_ = "heads", tensor_, colors_, range_ = "full", scale_ = "linear";
    std::optional<int64_t> layer_;
    int64_t step_ = -1;
    bool no_diagonal_ = false;
};

}  // namespace headroom
