#pragma once

#include <string>
#include <vector>

#include "app/figure/figure_recipe.h"
#include "panels/loss/loss_settings.h"
#include "panels/study/run.h"

namespace headroom {

/// `headroom figure loss RUN…`: the loss panel as a figure.
class LossRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "loss"; }
    std::string help() const override;
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    void check_metric(const std::vector<RunPointer>& runs) const;
    LossSettings settings(const std::vector<RunPointer>& runs) const;

    std::vector<std::string> runs_;
    std::string x_ = "tokens", metric_;
    double smooth_ = 0.6;
    bool smooth_val_ = false;
    bool no_raw_ = false;
    std::string relative_to_, reference_;
    std::string unit_ = "nats";
    std::string series_ = "train,val";
    bool log_x_ = false, log_y_ = false, ignore_outliers_ = false;
    std::string band_;
};

}  // namespace headroom
