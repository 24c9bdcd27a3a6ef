#include "core/bench/scaling.h"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/figure/figure_recipe.h"
#include "core/base/json_text.h"
#include "panels/figure/figure_export.h"
#include "panels/scaling/scaling_figure.h"

namespace headroom {
namespace {

/// `headroom figure scaling RESULT.json`: how waiting grows with size, from a benchmark's result.
class ScalingRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "scaling"; }
    std::string help() const override {
        return "Time over the size of the work, beside what its cost says, from what `headroom "
               "bench scaling --json` printed";
    }
    void add_options(CLI::App& command) override {
        command.add_option("RESULT", file_, "What bench scaling printed with --json")->required();
        command.add_option("--size", size_, "Only lines over this size, such as seq_len");
    }
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override {
        Figure figure = build_scaling_figure(read_scaling_result(load_json(file_), file_), size_);
        report["lines"] = figure.series.size() / 2;
        FigurePage page = chart_page(std::move(figure), request);
        page.description = "Drawn by headroom from " + file_;
        return page;
    }

  private:
    std::string file_, size_;
};

}  // namespace

std::unique_ptr<FigureRecipe> make_scaling_recipe() {
    return std::make_unique<ScalingRecipe>();
}

}  // namespace headroom
