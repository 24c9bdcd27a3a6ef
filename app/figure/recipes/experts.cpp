#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/figure/figure_recipe.h"
#include "app/word_check.h"
#include "core/base/error.h"
#include "panels/experts/experts_view.h"
#include "panels/study/run_arguments.h"

namespace headroom {
namespace {

/// `headroom figure experts`: which experts the routers of runs choose.
class ExpertsRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "experts"; }
    std::string help() const override {
        return "Which experts the routers of runs choose: shares over the evaluations, layer by "
               "layer, or of every layer at the last one; 5.5 inches wide unless told otherwise";
    }
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    std::vector<std::string> words_;
    std::string over_ = std::string(name_of(ExpertMap::kSteps));
};

}  // namespace

void ExpertsRecipe::add_options(CLI::App& command) {
    command.add_option("RUN", words_, "Run folders, or study folders for all their runs")
        ->required();
    command
        .add_option("--over", over_,
                    "steps (a map for each layer of each run) or layers (a map for each run)")
        ->check(one_of(
            {std::string(name_of(ExpertMap::kSteps)), std::string(name_of(ExpertMap::kLayers))}))
        ->capture_default_str();
}

FigurePage ExpertsRecipe::build(const FigureRequest& request, nlohmann::json& report) {
    const bool layers = over_ == name_of(ExpertMap::kLayers);
    const FigureRuns read(words_);
    HeatmapFigure figure =
        build_experts(read.runs, layers ? ExpertMap::kLayers : ExpertMap::kSteps);
    if (figure.panels.empty()) throw UserError("there is nothing to draw: " + figure.empty_text);
    say_left_out(read.left_out, figure.footnote, report);
    return map_page(std::move(figure), request, report);
}

std::unique_ptr<FigureRecipe> make_experts_recipe() {
    return std::make_unique<ExpertsRecipe>();
}

}  // namespace headroom
