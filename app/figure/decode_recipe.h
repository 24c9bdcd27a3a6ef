#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/figure/figure_recipe.h"

namespace headroom {

/// `headroom figure decode RESULT.json`: the speed of decoding, from a benchmark's result.
class DecodeRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "decode"; }
    std::string help() const override;
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    std::string file_, plot_ = "throughput", over_ = "size", size_;
    std::optional<int64_t> batch_size_, context_;
};

}  // namespace headroom
