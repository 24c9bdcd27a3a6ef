#pragma once

#include <string>
#include <vector>

#include "app/figure/figure_recipe.h"
#include "panels/probe/linear_probe_figure.h"

namespace headroom {

/// `headroom figure probe FILE…|RUN…`: the loss of linear probes against the layer.
class ProbeRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "probe"; }
    std::string help() const override;
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    std::vector<ProbedRun> probes() const;
    LinearProbeSettings settings() const;

    std::vector<std::string> words_;
    int64_t step_ = -1;
    std::vector<int> fit_;
    bool deep_only_ = false;
    std::string series_ = "val";
    std::string band_ = "min-max";
};

}  // namespace headroom
