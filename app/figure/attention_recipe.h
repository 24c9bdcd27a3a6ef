#pragma once

#include <string>
#include <vector>

#include "app/figure/figure_recipe.h"
#include "panels/inspector/attention_figure.h"

namespace headroom {

/// `headroom figure attention`: one head of runs side by side, or all heads of one.
class AttentionRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "attention"; }
    std::string help() const override;
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    AttentionFigureSettings settings() const;

    std::vector<std::string> words_;
    int layer_ = 0, head_ = 0;
    int64_t step_ = -1, most_cells_ = 1024;
    std::string colors_, range_ = "full", scale_ = "linear", cells_ = "mean";
    bool atlas_ = false, logits_ = false, difference_ = false;
};

}  // namespace headroom
