#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/figure/figure_recipe.h"
#include "panels/memory/memory_figure.h"

namespace headroom {

/// `headroom figure memory MODEL…`: where memory goes, predicted from configurations.
class MemoryRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "memory"; }
    std::string help() const override;
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    std::vector<MemoryModel> models() const;
    MemoryFigureSettings settings() const;
    FigurePage build_map(const FigureRequest& request, const MemoryFigureSettings& chosen,
                         const std::vector<MemoryModel>& drawn, nlohmann::json& report) const;

    std::vector<std::string> words_, sets_, archs_;
    std::string plot_ = "cache", use_ = "inference", dtype_, scale_;
    std::optional<int64_t> batch_size_, context_;
};

}  // namespace headroom
